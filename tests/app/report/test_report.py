"""The page and the plots of a report."""

from __future__ import annotations

import base64
import csv
import io
import re
import struct
from html.parser import HTMLParser
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

import matplotlib
import pytest
from matplotlib.figure import Figure

from app.report.export import export_page, export_plots
from app.report.page import page
from app.report.plot import PLOT_FORMS, PlotLook, rendered
from app.report.plots import all_plots, logarithmic
from app.report.tables import results_table
from app.report.words import marks
from gpu import __version__
from gpu.core.errors import ParameterError
from gpu.papers.items import Item
from gpu.studies.cases import CaseRow
from gpu.studies.results.analysis import analyse
from tests.golden import Golden
from tests.study_results import failed, run, runs, study

HOSTILE = '<script>alert("x")</script> & $\\frac{ _x \x1b[31m 蟻 ../../etc'
SMALL = PlotLook(8.0, 6.0)


class Page(HTMLParser):
    """Text, tags, addresses and table rows of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.rows: list[list[str]] = []
        self.text = ""
        self._in_cell = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag in ("p", "h1", "h2", "h3", "li", "tr", "figcaption", "summary", "footer"):
            self.text += "\n"
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        self._in_cell = self._in_cell and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.rows[-1][-1] += data
        if self.tags[-1:] != ["style"]:
            self.text += data

    def inside(self, kind: str) -> list[bytes]:
        """Return the files of a kind that are in it."""
        start = f"data:{kind};base64,"
        return [
            base64.b64decode(one.removeprefix(start))
            for one in self.addresses
            if one.startswith(start)
        ]


def rows(*instances: str) -> list[CaseRow]:
    """Return runs that give every kind of plot."""
    return [
        one
        for size, name in enumerate(instances, 1)
        for label, first, seconds in (("slow", 101, 4.0), ("fast", 103, 2.0), ("worst", 120, 1.0))
        for one in runs(
            name,
            label,
            range(first, first + 6),
            n=50 * size,
            seconds=seconds,
            parameters={"k": first},
            counts={"local_hits": first, "local_total": 200},
        )
    ]


def test_every_plot_in_every_form() -> None:
    plots = all_plots(analyse(study(rows("a", "b"))))
    assert {plot.name for plot in plots if not plot.instance} == {
        *("ranks", "target-seconds", "speedup-solution", "speedup-target", "effect-acs-k"),
        "effect-acs-k-local_hits",
    }
    assert len([plot for plot in plots if plot.instance == "a"]) == 7
    for plot in plots[:6]:  # tests/app/cli/test_report.py has those of one instance
        png, svg, pdf, table = (rendered(plot, form, SMALL) for form in PLOT_FORMS)
        assert png[:8] == b"\x89PNG\r\n\x1a\n"
        assert struct.unpack(">II", png[16:24]) == (944, 708)  # 8 × 6 cm at 300 dpi
        assert ElementTree.fromstring(svg).tag.endswith("svg")
        assert pdf.startswith(b"%PDF-")
        read = list(csv.reader(io.StringIO(table.decode())))
        assert tuple(read[0]) == plot.columns
        assert len(read) == len(plot.rows) + 1 > 1
    boxes = next(plot for plot in plots if plot.name == "results-a")
    assert len(boxes.rows) == 18
    assert boxes.rows[0] == ("a", "slow", 1, 1, 101, 1.0)


def test_export_writes_every_plot_and_the_tables(tmp_path: Path) -> None:
    found = analyse(study([run()]))
    told: list[float] = []
    forms = ("csv",)
    written = export_plots(tmp_path, found, SMALL, lambda share, text: told.append(share), forms)
    names = [f"{plot.name}.{form}" for plot in all_plots(found) for form in forms]
    assert [path.name for path in written] == ["table-results.csv", "table-runs.csv", *names]
    assert sorted(written) == sorted(tmp_path.iterdir())
    assert told == sorted(told)
    assert told[-1] == 1
    text = tmp_path.joinpath("table-runs.csv").read_text("utf-8")
    runs_table = list(csv.DictReader(io.StringIO(text)))
    assert [row["best"] for row in runs_table] == ["105"]


def test_the_same_plot_is_the_same_file_and_themes_differ() -> None:
    plot = all_plots(analyse(study(runs("ring", "acs", [101, 102]))))[0]
    once = rendered(plot, "svg", PlotLook.of("12.5 x 7"))
    assert once == rendered(plot, "svg", PlotLook.of("12.5x7"))
    assert once != rendered(plot, "svg", PlotLook.of("12.5x7", "dark"))
    for size in ("", "16", "16x", "0x9", "16x900", "-4x9", "nanx9", "1e1x9", "9" * 400 + "x9"):
        with pytest.raises(ParameterError, match="such as 16x9"):
            PlotLook.of(size)


def test_the_page_has_the_numbers_and_the_marks(golden: Golden) -> None:
    some = [*runs("ring", "good", range(101, 111)), *runs("ring", "bad", range(150, 159))]
    some += [
        failed("ring", "bad", 10, "the GPU has no memory left"),
        run("ring", "bad", 11, 160, batch=2),
    ]
    told: list[tuple[float, str]] = []
    text = page(analyse(study(some)), SMALL, lambda *one: told.append(one))
    read = Page(text)
    assert told[-1] == (1.0, "the page is ready")
    lines = filter(
        None, read.text.replace(f"Formicarium {__version__}", "Formicarium").splitlines()
    )
    rows = (" | ".join(row) for row in read.rows)
    golden("report-page", "\n".join([*lines, "", *rows]))
    assert '<strong class="best">5.500</strong>' in text
    assert '<u class="lowest">105.5</u>' in text
    summary, every, *_ = (file.decode() for file in read.inside("text/csv"))
    rows_of = list(csv.DictReader(io.StringIO(summary)))
    assert [row["clearly_best"] for row in rows_of] == ["True", "False"]
    assert [row["mark"] for row in rows_of] == ["", "−"]
    assert [row["state"] for row in csv.DictReader(io.StringIO(every))].count("failed") == 1


def test_with_a_baseline_better_and_worse_are_marked() -> None:
    some = [one for one in rows("ring") if one.label != "fast"]
    found = analyse(study(some), "worst")
    assert "significantly better or worse than worst" in " ".join(marks(found))
    text = "".join(results_table(found).itertext())
    assert "1.000 +" not in text
    assert "3.500 +" in text


def test_texts_from_files_do_no_harm() -> None:
    some = [
        run(HOSTILE, HOSTILE, seed, 100 + seed, parameters={HOSTILE: value, "x": HOSTILE})
        for seed, value in ((1, HOSTILE), (2, None), (3, HOSTILE))
    ]
    some += [failed(HOSTILE, "=cmd()", 1, HOSTILE), *runs(HOSTILE, "_hidden", [101, 102])]
    hosts = ({"machine": HOSTILE, "versions": {HOSTILE: HOSTILE}},)
    whole = study(some, title=HOSTILE, budget={HOSTILE: HOSTILE})
    found = analyse(type(whole)(whole.title, HOSTILE, 5, whole.budget, whole.rows, hosts))
    text = page(found, SMALL)
    read = Page(text)
    assert "script" not in read.tags
    assert HOSTILE.replace("\x1b", "\\x1b") in read.text
    assert "\x1b" not in text
    assert all(
        re.match(r"data:(image/svg\+xml|text/csv);base64,|#\w+$", at) for at in read.addresses
    )
    assert "url(" not in text
    plots = all_plots(found)
    assert len(read.inside("image/svg+xml")) == len(plots) > 7
    for image in read.inside("image/svg+xml"):
        assert ElementTree.fromstring(image).tag.endswith("svg")
    for plot in plots:
        assert re.fullmatch(r"[A-Za-z0-9._~-]+", plot.name)


def test_a_page_names_no_machine_and_no_folder() -> None:
    hosts = tuple(
        {"machine": name, "device": "cpu:1"} for name in ("anthill", "beehive", "anthill")
    )
    error = "/home/me/my files/ring.tsp: the file has changed"
    some = [*runs("ring", "acs", [101, 102]), failed("ring", "acs", 3, error)]
    whole = study(some)
    found = analyse(type(whole)(whole.title, whole.created, 3, whole.budget, whole.rows, hosts))
    text = page(found, SMALL)
    read = Page(text)
    assert "ring.tsp: the file has changed" in read.text
    pages = [text, *(one.decode() for one in read.inside("text/csv"))]
    assert any("ring.tsp: the file has changed" in one for one in pages[1:])
    for secret in ("/home", "my files", "anthill", "beehive"):
        assert not any(secret in one for one in pages)


@pytest.mark.parametrize("count", [0, 1])
def test_a_page_of_hardly_any_run(count: int, tmp_path: Path) -> None:
    some = [run(seed=seed) for seed in range(1, count + 1)]
    export_page(tmp_path / "new" / "page.html", analyse(study(some)), SMALL)
    read = Page(tmp_path.joinpath("new", "page.html").read_text("utf-8"))
    assert f"{count} run{'s were' if count != 1 else ' was'} planned" in read.text
    if count:
        assert "compares three configurations or more" in read.text
        assert "not tested: fewer than two" in read.text
        assert "No test was made, so nothing else is marked" in read.text
    assert "nan" not in read.text.lower().replace("finance", "")


def test_a_study_before_its_first_result() -> None:
    some = [run(seed=seed, best=None, state="waiting", host={}) for seed in (1, 2)]
    read = Page(page(analyse(study(some)), SMALL))
    assert "2 runs are still to be done" in read.text
    assert "No run has finished on this instance" in read.text
    assert "img" not in read.tags


def test_names_that_differ_in_signs_alone_have_files_of_their_own() -> None:
    some = [*runs("a/b", "x", [101, 102]), *runs("a b", "x", [101, 102]), *runs("A_b", "x", [101])]
    names = [plot.name.lower() for plot in all_plots(analyse(study(some)))]
    assert len(names) == len(set(names))


def test_csv_cells_are_quoted_and_run_nothing() -> None:
    some = runs("=1+1", 'a,"b"', [101, 102])
    plot = all_plots(analyse(study(some)))[0]
    first = next(csv.DictReader(io.StringIO(rendered(plot, "csv", SMALL).decode())))
    assert first["instance"] == "'=1+1"
    assert first["configuration"] == 'a,"b"'


@pytest.mark.parametrize("size", [(16, 9), (7, 3), (4, 4)])
@pytest.mark.parametrize("name", ["x", "y"])
@pytest.mark.parametrize(
    ("low", "high"), [(0.01, 100), (0.001, 1e4), (1e-6, 1e6), (0.9, 21), (700, 1200), (3, 80)]
)
def test_a_logarithmic_axis_has_numbers_at_any_size(
    low: float, high: float, name: Literal["x", "y"], size: tuple[float, float]
) -> None:
    """A low plot of speedups of many powers of ten had no number at all."""
    look = PlotLook(*size)
    with matplotlib.rc_context(look.settings):
        figure = Figure(figsize=(look.width / 2.54, look.height / 2.54), layout="constrained")
        axes = figure.add_subplot()
        (axes.set_xlim if name == "x" else axes.set_ylim)(low, high)
        logarithmic(axes, name)
        figure.canvas.draw()
        axis = axes.xaxis if name == "x" else axes.yaxis
        shown = [
            label.get_text()
            for label, place in zip(axis.get_ticklabels(), axis.get_ticklocs(), strict=True)
            if low <= place <= high
        ]
    assert len(shown) >= 2
    assert all(shown)


ITEM = """
instances = ["ring"]
seeds = { first = 1, count = 2 }
[budget]
iterations = 100
[[colony]]
label = "swept"
colony = "acs-gpu"
parameters = { ants = [10, 20] }
[paper]
item = "Fig. 1"
shows = "The gap"
[[paper.figures]]
measure = "mean-gap"
by = "ants"
[[paper.claims]]
where = "Section <1>"
says = "More ants are better."
check = "mean_gap('swept, ants 20', 'ring') < mean_gap('swept, ants 10', 'ring')"
[[paper.claims]]
where = "Section 2"
says = "Twenty ants are enough."
untested = "What is enough?"
"""


def test_the_page_of_an_item_has_its_figures_and_a_verdict_on_each_claim() -> None:
    item = Item.from_toml("x/y", Path("x-y.toml"), ITEM)
    found = [
        run("ring", f"swept, ants {ants}", seed, 100 + ants) for ants in (10, 20) for seed in (1, 2)
    ]
    made = Page(page(analyse(study(found)), SMALL, item=item))
    cells = [row for row in made.rows if row and row[0].startswith("Section")]
    assert cells == [
        [
            "Section <1>: More ants are better.",
            "not reproduced",
            "Not so: 20 < 10. Cause not known.",
        ],
        ["Section 2: Twenty ants are enough.", "untested", "What is enough?"],
    ]
    assert "1 not reproduced, 1 untested" in made.text
    numbers = made.inside("text/csv")
    assert any(one.startswith(b"curve,whose,x,number") for one in numbers)
