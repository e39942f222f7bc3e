from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gpu.batch.design import ColonyDesign, Design, DesignError, read_design
from gpu.core.errors import FormicariumError
from gpu.run.stopping import StopSettings
from tests.golden import Golden

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


def sentence(text: str) -> str:
    with pytest.raises(FormicariumError) as refusal:
        Design.from_toml(text)
    assert "\n" not in str(refusal.value)
    return str(refusal.value)


def test_each_mistake_has_a_sentence(golden: Golden) -> None:
    def told(line: str) -> str:
        old, new = ast.literal_eval(line)
        assert old in GOOD
        return sentence(GOOD.replace(old, new, 1))

    golden.table("refused-designs", told)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GOOD.replace("[[colony]]", "[colony]"), "it is no TOML file"),
        ("a = " + "[" * 5000, "it is no TOML file"),
        (f"a = {'{ a = ' * 400}1{' }' * 400}", "its tables are nested too deeply"),
        (f"a{'.a' * 5000} = 1", "more than 8 parts with dots between them"),
        (f"a = {'9' * 5000}", "it is no TOML file: a number or a date in it"),
        (GOOD.replace("iterations = 10", f"iterations = 0x{'f' * 9000}"), "more than 64"),
        ('colony = "acs"', "colony must be written as [[colony]], with two brackets"),
        ('instances = ["a"]\n[budget]\nseconds = 1', "there is no colony"),
    ],
    ids=range(8),
)
def test_hostile_texts_have_a_sentence_too(text: str, said: str) -> None:
    assert said in sentence(text)


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
