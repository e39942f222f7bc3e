from __future__ import annotations

from pathlib import Path

import pytest

from gpu.core.errors import FormicariumError
from gpu.run.stopping import StopSettings
from gpu.study.design import ColonyDesign, Design, read_design
from gpu.study.tables import DesignError

GOOD = """
title = "Two colonies"
instances = ["ring-50", "more/*.tsp"]
seeds = { first = 3, count = 2 }
[budget]
iterations = 10
[[colony]]
colony = "mmas"
parameters = { ants = [5, 10], rho = [0.1, 0.5], selection = "roulette" }
[[colony]]
label = "the best"
aim = "best"
device = "cuda"
"""


def test_a_design_is_read_and_written() -> None:
    design = Design.from_toml(GOOD)
    assert design.title == "Two colonies"
    assert design.seeds == (3, 4)
    assert design.budget == StopSettings(iterations=10)
    first, second = design.colonies
    assert (second.label, second.aim, second.device) == ("the best", "best", "cuda")
    assert [first.label_of(values) for values in first.combinations] == [
        "mmas, ants 5, rho 0.1", "mmas, ants 5, rho 0.5",
        "mmas, ants 10, rho 0.1", "mmas, ants 10, rho 0.5",
    ]  # fmt: skip
    assert Design.from_toml(design.to_toml()) == design
    strange = Design(
        'a "title" \\ with ü',
        ("a file.tsp",),
        (1, 5),
        StopSettings(seconds=0.5, target_gap=0.0, go_on=True),
        (ColonyDesign("x, y", "acs", parameters={"odd name": ("a", 1.5)}, start="t/{instance}"),),
    )
    assert Design.from_toml(strange.to_toml()) == strange


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("title", "titel"), "the file has the unknown key 'titel': did you mean title?"),
        (('title = "Two colonies"', "title = 3"), "title must be a text in quotation marks"),
        (('"ring-50", "more/*.tsp"', ""), "instances is empty: name one at least"),
        (('["ring-50", "more/*.tsp"]', '"ring-50"'), "instances must be a list"),
        (("more/*.tsp", "ring-50"), "instances has 'ring-50' twice"),
        (("count = 2", "count = 0"), "seeds must have a count from 1"),
        (("count = 2", "cuont = 2"), "did you mean count?"),
        (("{ first = 3, count = 2 }", "[1, 1]"), "seeds has 1 twice"),
        (("{ first = 3, count = 2 }", "[1.5]"), "seeds must be whole numbers"),
        (("first = 3", "first = -1"), "a seed of a study must be at least 0"),
        (("first = 3", "first = 9223372036854775807"), "less than 2^63"),
        (("iterations = 10", ""), "the runs might never end: give seconds, iterations"),
        (("iterations = 10", "iteration = 10"), "did you mean iterations?"),
        (("iterations = 10", "iterations = 0"), "[budget]: iterations = 0 must be greater than 0"),
        (("iterations = 10", "iterations = '10'"), "is not a number"),
        (("iterations = 10", f"iterations = 0x{'f' * 9000}"), "a number in it has more than 64"),
        (("[[colony]]", "[colony]"), "it is no TOML file"),
        (('colony = "mmas"', ""), 'needs either colony = "acs" or the like, or aim = "best"'),
        (('aim = "best"', 'aim = "bset"'), "there is no aim 'bset'"),
        (('"cuda"', '"cuda:0"'), "device = 'cuda:0' must be cuda, cpu or cpu:1"),
        (('"cuda"', "[]"), "device = '[]' must be"),
        (('label = "the best"', 'label = "mmas"'), "two colonies have the label 'mmas'"),
        (('"roulette"', "true"), "selection must be a number or a text"),
        (("[5, 10]", "[]"), "ants has an empty list of values"),
        (("[5, 10]", "[5, 5]"), "ants has the value 5 twice"),
        (("[5, 10]", "nan"), "ants = nan is no finite number"),
        (("count = 2", "count = 30_000"), "more than 100,000 runs"),
        ((GOOD, "a = " + "[" * 5000), "it is no TOML file"),
        ((GOOD, f"a = {'{ a = ' * 400}1{' }' * 400}"), "its tables are nested too deeply"),
        ((GOOD, f"a{'.a' * 5000} = 1"), "more than 8 parts with dots between them"),
        (
            ("iterations = 10", "seconds = 1e308"),
            "[budget]: seconds = 1e+308 must be at most 10^18",
        ),
        ((GOOD, f"a = {'9' * 5000}"), "it is no TOML file: a number or a date in it"),
        ((GOOD, 'colony = "acs"'), "write [[colony]] with two brackets"),
        ((GOOD, 'instances = ["a"]\n[budget]\nseconds = 1'), "there is no colony"),
    ],
)
def test_each_mistake_has_a_sentence(change: tuple[str, str], said: str) -> None:
    text = GOOD.replace(*change)
    assert text != GOOD
    with pytest.raises(FormicariumError) as refusal:
        Design.from_toml(text)
    assert said in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_the_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(GOOD)
    assert read_design(file) == (Design.from_toml(GOOD), GOOD)
    for data, said in (
        (b"", "it is empty"),
        (b"\xff\xfe\x00", "save it as UTF-8"),
        (b"titel = 1", "unknown key 'titel'"),
        (b'[[step]]\nopen = "ring-50"', "the file is a script: formicarium present plays it"),
        (b"[paper]", "the file is an item of a paper: formicarium reproduce runs it"),
    ):
        file.write_bytes(data)
        with pytest.raises(DesignError, match=said) as refusal:
            read_design(file)
        assert str(refusal.value).startswith(str(file))
    with pytest.raises(DesignError, match="cannot be read"):
        read_design(tmp_path / "none.toml")
