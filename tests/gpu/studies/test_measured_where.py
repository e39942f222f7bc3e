from __future__ import annotations

from gpu.papers.items import find_item
from gpu.studies.measured_where import MeasuredWhere, read_measured_where


def test_kept_results_say_on_what_and_when_they_were_measured() -> None:
    found = read_measured_where(find_item("2016/figure-10").kept_results)
    assert found.models == ("Intel(R) Xeon(R) Processor", "NVIDIA H100 80GB HBM3")
    assert (found.first, found.last) == ("2026-11-23", "2026-11-27")
    assert found.commits == ("a5807ecb7018", "e48794d1b117", "429f031e75af")


def test_it_is_said_in_words() -> None:
    one = MeasuredWhere(("a GPU",), "2026-11-23", "2026-11-23", ("abc",))
    assert one.text == "Measured on a GPU, 2026-11-23, commit abc"
    several = MeasuredWhere(("a GPU", "a core"), "2026-11-23", "2026-11-24", ("abc", "def"))
    assert (
        several.text == "Measured on a GPU and a core, 2026-11-23 to 2026-11-24, commits abc, def"
    )
    assert MeasuredWhere((), "", "", ()).text == ""
