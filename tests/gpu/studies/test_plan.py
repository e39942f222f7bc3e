from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

import pytest

from gpu.core.errors import FormicariumError, InstanceError
from gpu.papers.items import Trial
from gpu.run.stopping import StopSettings
from gpu.studies import plan as plans
from gpu.studies.design import ColonyDesign, Design, DesignError, Value, read_design
from gpu.studies.plan import matching
from tests.golden import Golden
from tests.gpu.studies.toy_studies import FIVE, TOML, planned, write_tsp
from tests.systems import make_pipe

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
        (
            ColonyDesign("x, y", "acs", parameters={"odd name": ("a", 1.5)}, start="t/{instance}"),
            ColonyDesign("slow", "acs", alone=True, budget=StopSettings(seconds=5, go_on=True)),
        ),
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


def test_hostile_texts_have_a_sentence_too(golden: Golden) -> None:
    def told(line: str) -> str:
        return sentence(eval(line, {"GOOD": GOOD})).partition(" (")[0]  # what Python says varies

    golden.table("refused-studies", told)


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


START = "NAME: a\nTYPE: TOUR\nDIMENSION: {n}\nTOUR_SECTION\n{cities}\n-1\nEOF\n"


def test_every_combination_is_a_run_and_seeds_take_turns(toys: Path) -> None:
    plan = planned(toys)
    runs = [(run.seed, run.instance.name, run.configuration.label) for run in plan.cases]
    assert len(set(runs)) == len(runs) == 3 * 2 * 2
    assert runs[:4] == [
        (1, name, label) for name in ("five", "three") for label in ("toy, ants 2", "toy, ants 3")
    ]
    assert [seed for seed, *_ in runs] == sorted(seed for seed, *_ in runs)
    assert plan.cases[0].configuration.values == {"ants": 2, "rho": 0.1, "deposit": "best"}


def test_a_key_is_what_decides_the_run_and_nothing_else(toys: Path) -> None:
    keys = [run.key for run in planned(toys).cases]
    assert keys[0] == "fd771ed421a568b65d9240a79514fb06"  # a change of it repeats every study
    assert len(set(keys)) == len(keys)
    for same in (
        TOML.replace('label = "toy"', 'label = "other"'),
        TOML.replace("ants = [2, 3]", 'ants = [2, "3"], rho = 0.1'),  # a default, said
        TOML.replace('colony = "toy"', 'colony = "toy-ants"'),
    ):
        assert [run.key for run in planned(toys, same).cases] == keys
    for other in (
        TOML.replace("iterations = 4", "iterations = 5"),
        TOML.replace("go_on = true", ""),
        TOML.replace("[2, 3]", "[2, 3], rho = 0.2"),
        TOML.replace("first = 1", "first = 4"),
    ):
        assert not {run.key for run in planned(toys, other).cases} & set(keys)
    write_tsp(toys / "five.tsp", [(1, 1), *FIVE[1:]])
    write_tsp(toys / "three.tsp", [(1, 1), *FIVE[1:3]])
    assert not {run.key for run in planned(toys).cases} & set(keys)


def test_instances_are_files_patterns_and_names(toys: Path) -> None:
    text = TOML.replace('"five.tsp", "three.tsp"', '"five.tsp", "*.tsp", "ring-50"')
    names = list(dict.fromkeys(run.instance.name for run in planned(toys, text).cases))
    assert names == ["five", "three", "ring-50"]


def test_a_run_can_begin_with_a_tour(toys: Path) -> None:
    (toys / "five.tour").write_text(START.format(n=5, cities="1 3 2 4 5"))
    (toys / "three.tour").write_text(START.format(n=3, cities="1 3 2"))
    text = TOML.replace('"toy"\nparameters = { ants = [2, 3] }', '"focused-seq"')
    keys = [run.key for run in planned(toys, text).cases]
    begun = planned(toys, text + 'start = "{instance}.tour"\n')
    assert not set(keys) & {run.key for run in begun.cases}
    assert {run.start and Path(run.start.path).name for run in begun.cases} == {
        "five.tour",
        "three.tour",
    }
    (toys / "three.tour").unlink()
    with pytest.raises(FormicariumError, match=r"toy on three: .*three.tour"):
        planned(toys, text + 'start = "{instance}.tour"\n')


def test_what_cannot_run_is_refused_before_anything_runs(toys: Path, golden: Golden) -> None:
    write_tsp(toys / "copy.tsp", FIVE[:4], name="five")

    def told(line: str) -> str:
        text = TOML.replace(*ast.literal_eval(line))
        assert text != TOML
        with pytest.raises(FormicariumError) as refused:
            planned(toys, text)
        return str(refused.value).replace(f"{toys}/", "").replace(str(toys), "FOLDER")

    golden.table("refused-plans", told)


def test_seeds_of_very_many_configurations_are_counted_once(
    toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named: list[str] = []
    label_of = ColonyDesign.label_of

    def counting(self: ColonyDesign, values: Mapping[str, Value]) -> str:
        named.append(self.label)
        return label_of(self, values)

    monkeypatch.setattr(ColonyDesign, "label_of", counting)
    for ants, apart in ((10, "false"), (10, "true"), (100, "true")):
        named.clear()
        text = TOML.replace("count = 3", f"count = 3, apart = {apart}")
        planned(toys, text.replace("[2, 3]", str(list(range(1, ants + 1)))))
        assert len(named) <= 12 * ants, apart


def test_configurations_with_seeds_of_their_own(toys: Path) -> None:
    plan = planned(toys, TOML.replace("count = 3", "count = 3, apart = true"))
    seeds: dict[str, list[int]] = {}
    for run in plan.cases:
        if run.instance.name == "five":
            seeds.setdefault(run.configuration.label, []).append(run.seed)
    assert list(seeds.values()) == [[1, 2, 3], [4, 5, 6]]
    assert Design.from_toml(plan.design.to_toml()) == plan.design
    for wrong in (
        "first = 1, count = 3, apart = 1",
        f"first = {2**63 - 3}, count = 3, apart = true",
    ):
        with pytest.raises(DesignError, match="apart"):
            planned(toys, TOML.replace("first = 1, count = 3", wrong))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with files in folders of it, a pipe, and a link that leads back."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    for name in ("1.tsp", "2.col", ".hidden.tsp", "a/3.tsp", "a/b/4.tsp"):
        (tmp_path / name).write_text("x")
    (tmp_path / "a" / "back").symlink_to(tmp_path)
    make_pipe(tmp_path / "pipe.tsp")
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.tsp", [".hidden.tsp", "1.tsp"]),
        ("[12].*", ["1.tsp", "2.col"]),
        ("*/*.tsp", ["a/3.tsp"]),
        ("a/back/?.col", ["a/back/2.col"]),
        ("**/*.tsp", [".hidden.tsp", "1.tsp", "a/3.tsp", "a/b/4.tsp"]),
        ("**/**/b/**/*.tsp", ["a/b/4.tsp"]),
        ("a/**", ["a/3.tsp", "a/b/4.tsp"]),
        ("a/../*.tsp", ["a/../.hidden.tsp", "a/../1.tsp"]),
    ],
)
def test_what_fits_a_pattern(tree: Path, pattern: str, found: list[str]) -> None:
    assert matching(tree, pattern) == [tree / name for name in found]
    assert matching(Path("elsewhere"), f"{tree}/{pattern}") == [tree / name for name in found]


def test_no_fitting_file_is_a_sentence_with_the_folder(tree: Path) -> None:
    with pytest.raises(InstanceError, match=rf"^\*.vrp: no file in {tree} fits this pattern$"):
        matching(tree, "*.vrp")
    for none in ("/nowhere/*.tsp", "\0*", f"{'a' * 5000}*", f"{tree}/1.tsp/*"):
        with pytest.raises(InstanceError, match=r"no file (in .* )?fits this pattern"):
            matching(tree, none)


def test_a_pattern_does_not_look_at_a_whole_disk(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plans, "MOST_LOOKED_AT", 9)  # all that is below the folder
    assert len(matching(tree, "**/*.tsp")) == 4
    monkeypatch.setattr(plans, "MOST_LOOKED_AT", 8)
    with pytest.raises(InstanceError, match="goes through more than 8 files and folders"):
        matching(tree, "**/*.tsp")
    assert len(matching(tree, "*.tsp")) == 2


def test_a_colony_has_a_budget_of_its_own(toys: Path) -> None:
    text = f'{TOML}\n[[colony]]\nlabel = "slow"\ncolony = "toy"\nbudget = {{ iterations = 2 }}\n'
    budgets = {one.configuration.label: one.budget for one in planned(toys, text).cases}
    assert {label: one.iterations for label, one in budgets.items()} == {
        "toy, ants 2": 4,
        "toy, ants 3": 4,
        "slow": 2,
    }
    assert not budgets["slow"].go_on
    part = Trial(iterations=1).of(Design.from_toml(text))
    assert [one.budget and one.budget.iterations for one in part.colonies] == [None, 1]
    assert "might never end" in sentence(text.replace("{ iterations = 2 }", "{ go_on = true }"))
