"""Tables and figures of papers as studies: what was done there, its numbers, and what can run here.

An item is a file of a study with one more table, ``[paper]``; docs/guide/reproduce.md explains it.
"""

from __future__ import annotations

import importlib.resources
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from gpu.batch.cases import StudyResults
from gpu.batch.design import (
    LONGEST_LABEL,
    LONGEST_TITLE,
    ColonyDesign,
    Design,
    DesignError,
    check_keys,
    read_text,
    text_of,
)
from gpu.core.errors import FormicariumError, InstanceError
from gpu.core.files import exists
from gpu.core.stop_limits import LARGEST
from gpu.core.toml import table_of
from gpu.core.words import counted, shown
from gpu.run.stopping import StopSettings


@dataclass(frozen=True, slots=True)
class Trial:
    """What is left out of a study. None, or nothing, leaves a part as it is."""

    runs: int | None = None  # of each configuration on each instance
    iterations: int | None = None  # of a run at most
    seconds: float | None = None  # of a run at most
    instances: tuple[str, ...] = ()  # those that are kept

    @property
    def suffix(self) -> str:
        """What tells the file of its results from that of the whole study; empty for the whole."""
        parts = [
            *([f"r{self.runs}"] if self.runs is not None else []),
            *([f"i{self.iterations}"] if self.iterations is not None else []),
            *([f"s{self.seconds:g}"] if self.seconds is not None else []),
            *self.instances,
        ]
        return "-".join(["trial", *parts]) if parts else ""

    @property
    def options(self) -> tuple[str, ...]:
        """The options of ``formicarium reproduce`` that ask for it."""
        return (
            *([f"--runs {self.runs}"] if self.runs is not None else []),
            *([f"--iterations {self.iterations}"] if self.iterations is not None else []),
            *([f"--seconds {self.seconds:g}"] if self.seconds is not None else []),
            *([f"--only {','.join(self.instances)}"] if self.instances else []),
        )

    @classmethod
    def told_by(cls, design: Design, results: StudyResults) -> Trial:
        """Return what ``results`` lack of the ``design`` that they are a part of."""
        rows, whole = results.rows, len(design.seeds)
        each = Counter((row.instance, row.label) for row in rows)
        runs = max(each.values(), default=whole)
        found = {row.instance for row in rows}
        there = tuple(name for name in design.instances if name in found)
        seconds, iterations = (
            results.budget.get(name) if results.budget.get(name) != limit else None
            for name, limit in (
                ("seconds", design.budget.seconds),
                ("iterations", design.budget.iterations),
            )
        )
        return cls(
            runs if runs < whole else None,
            iterations,
            seconds,
            there if len(there) < len(design.instances) else (),
        )

    def of(self, design: Design) -> Design:
        """Return the part of ``design``; DesignError if it has no such part."""
        if self.runs is not None and not 1 <= self.runs <= len(design.seeds):
            raise DesignError(
                f"--runs {self.runs}: the study has {counted(len(design.seeds), 'run')} of each "
                "configuration; choose no more, and one at least"
            )
        if self.iterations is not None and self.iterations < 1:
            raise DesignError(f"--iterations {self.iterations}: choose 1 or more")
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            raise DesignError(f"--seconds {self.seconds}: choose more than 0")
        for name in self.instances:
            if name not in design.instances:
                raise DesignError(
                    f"--only {shown(name)}: the study has no such instance here; it has "
                    f"{', '.join(design.instances)}"
                )
        wanted = self.instances or design.instances
        kept = tuple(name for name in design.instances if name in wanted)
        return replace(
            design,
            instances=kept,
            colonies=tuple(self._colonies(design, kept)),
            seeds=design.seeds[: self.runs],
            budget=self._shorter(design.budget),
            budgets={
                name: self._shorter(budget)
                for name, budget in design.budgets.items()
                if name in kept
            },
        )

    def _colonies(self, design: Design, kept: tuple[str, ...]) -> Iterator[ColonyDesign]:
        for one in design.colonies:
            on = tuple(name for name in one.instances if name in kept)
            if on or not one.instances:
                yield replace(one, instances=on)

    def _shorter(self, budget: StopSettings) -> StopSettings:
        def least(given: float | None, most: float | None) -> float | None:
            return min((one for one in (given, most) if one is not None), default=None)

        iterations = least(budget.iterations, self.iterations)
        return replace(
            budget,
            iterations=None if iterations is None else int(iterations),
            seconds=least(budget.seconds, self.seconds),
        )


WHOLE = Trial()  # leaves nothing out


LONGEST_SENTENCE = 1000  # characters
ALL = "all instances"  # stands for the instance of a number that is of all of them together

MEASURES: Mapping[str, tuple[str, str]] = {
    "mean-gap": ("mean gap", "%"),
    "least-gap": ("least gap", "%"),
    "mean": ("mean result", ""),
    "best": ("best result", ""),
    "seconds": ("seconds of a run", "s"),
    "tours-ms": ("time for n tours", "ms"),
    "speedup": ("speedup for each tour", "times"),
    "greatest-speedup": ("greatest speedup for each tour", "times"),
    "greatest-deviation": ("greatest deviation of the mean result", "%"),
    "construction-ms": ("time of construction in an iteration", "ms"),
    "update-ms": ("time of the update in an iteration", "ms"),
    "rest-ms": ("time of all but construction in an iteration", "ms"),
    "construction-speedup": ("greatest speedup of construction", "times"),
    "update-speedup": ("greatest speedup of the update", "times"),
    "occupancy": ("warps that build tours at once, of those that could", "%"),
    "choice-gflops": ("numbers computed in the choice info", "10⁹ a second"),
    "choice-gbs": ("bytes read and written in the choice info", "10⁹ a second"),
    "local-hits": ("local updates that find their trail in the memory", "%"),
    "global-hits": ("global updates that find their trail in the memory", "%"),
    "friedman": ("Friedman's statistic", ""),
    "friedman-p": ("p of Friedman's test, by chi-square", ""),
}
"""What a number of a paper is: its name, and its unit."""

RATIOS = ("speedup", "greatest-speedup", "construction-speedup", "update-speedup")
"""Measures that compare with another configuration; so does the greatest deviation."""

_PAPER_KEYS = (
    *("authors", "year", "title", "item", "shows", "gpu", "cpu", "says", "differs", "baseline"),
    *("hours", "h100_hours", "numbers", "lists"),
)


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers of one kind that a paper has of one configuration."""

    configuration: str  # its label in the design; empty for what is of all configurations
    measure: str  # one of MEASURES
    against: str  # label of what a speedup or a deviation is relative to; else empty
    values: Mapping[str, float]  # by instance, or ALL
    marks: Mapping[str, str]  # by instance: the paper's mark of significance, + or -
    note: str  # what else belongs to them, such as the device; may be empty


@dataclass(frozen=True, slots=True)
class Item:
    """A table or figure of a paper. Texts are one line each."""

    name: str  # such as 2016/table-5
    path: Path
    authors: str
    year: int
    title: str  # of the paper
    item: str  # such as Table 5
    shows: str  # what it compares, in a sentence
    gpu: str  # of the paper
    cpu: str  # of the paper
    says: str  # what the paper's text says of the outcome; may be empty
    differs: tuple[str, ...]  # what is not as in the paper, in sentences
    baseline: str  # label that the others are compared with; empty: with the lowest mean
    hours: float | None  # that the paper's hardware took, by its own times; None if it has none
    h100_hours: float | None  # that an H100 takes, foreseen from the runs in docs/papers
    numbers: tuple[Numbers, ...]
    lists: tuple[str, ...]  # measures of which ours are shown, where the paper has no numbers
    design: Design  # with as many runs as the paper has
    text: str = field(repr=False, default="")  # of the file

    @property
    def paper(self) -> str:
        """The paper, as a list of references has it."""
        return f"{self.authors}, {self.title} ({self.year})"

    @classmethod
    def from_toml(cls, name: str, path: Path, text: str) -> Self:
        """Read an item, or raise DesignError."""
        table = table_of(text, DesignError)
        paper = table.pop("paper", None)
        if not isinstance(paper, dict):
            raise DesignError("it has no table [paper], which says what is reproduced")
        check_keys(paper, _PAPER_KEYS, "[paper]")
        design = Design.from_table(table)
        year = paper.get("year", 0)
        if not isinstance(year, int) or isinstance(year, bool) or not 0 <= year <= 9999:
            raise DesignError("[paper]: year must be a year, such as 2016")
        labels = _labels(design)
        baseline = text_of(paper, "baseline", LONGEST_LABEL)
        if baseline and baseline not in labels:
            raise DesignError(f"[paper]: baseline = {baseline!r} is no configuration of the study")
        item = text_of(paper, "item", LONGEST_LABEL)
        if not item:
            raise DesignError('[paper] needs item = "Table 5" or the like')
        return cls(
            name=name,
            path=path,
            authors=text_of(paper, "authors", LONGEST_TITLE),
            year=year,
            title=text_of(paper, "title", LONGEST_TITLE),
            item=item,
            shows=text_of(paper, "shows", LONGEST_SENTENCE),
            gpu=text_of(paper, "gpu", LONGEST_TITLE),
            cpu=text_of(paper, "cpu", LONGEST_TITLE),
            says=text_of(paper, "says", LONGEST_SENTENCE),
            differs=_sentences(paper.get("differs", [])),
            baseline=baseline,
            hours=_hours(paper, "hours"),
            h100_hours=_hours(paper, "h100_hours"),
            lists=_lists(paper.get("lists", [])),
            numbers=tuple(_numbers(one, labels) for one in _tables(paper.get("numbers", []))),
            design=design,
            text=text,
        )


def items() -> tuple[Item, ...]:
    """Return the items that come with the program, paper by paper."""
    return tuple(read_item(path) for path in sorted(_folder().glob("*.toml"), key=_order))


def find_item(text: str) -> Item:
    """Return the item of this name, or that of a file; DesignError if there is none."""
    if text.endswith(".toml"):
        return read_item(Path(text))
    kept = {name_of(path): path for path in _folder().glob("*.toml")}
    if text in kept:
        return read_item(kept[text])
    raise DesignError(
        f"{shown(text)}: there is no such table or figure (formicarium reproduce lists them)"
    )


def read_item(path: Path) -> Item:
    """Read the file of an item; DesignError names the file."""
    text = read_text(path)
    try:
        return Item.from_toml(name_of(path), path, text)
    except FormicariumError as error:
        raise DesignError(f"{path}: {error}") from error


def name_of(path: Path) -> str:
    """Return the name of the item in a file: 2016/table-5 for 2016-table-5.toml."""
    return path.stem.replace("-", "/", 1)


@dataclass(frozen=True, slots=True)
class Readiness:
    """What of an item can be run on this machine."""

    design: Design | None  # of that part; None if it is nothing
    instances: Mapping[str, str]  # why an instance cannot be used, by its name in the design
    colonies: Mapping[str, str]  # why a colony cannot be run, by its label

    @property
    def whole(self) -> bool:
        """Whether nothing is left out."""
        return self.design is not None and not self.instances and not self.colonies


def readiness(item: Item, find: Callable[[str], Path], *, cuda: bool) -> Readiness:
    """Return which part of ``item`` can be run here.

    ``find`` returns the file of an instance, or raises InstanceError; ``cuda`` says whether there
    is a GPU.
    """
    design = item.design
    away: dict[str, str] = {}
    for name in design.instances:
        try:
            if not any(sign in name for sign in "*?[") and not exists(item.path.parent / name):
                find(name)
        except InstanceError as error:
            away[name] = str(error)
    here = tuple(name for name in design.instances if name not in away)
    unable = {
        one.label: f"it needs a GPU ({one.colony or one.aim})"
        for one in design.colonies
        if one.device == "cuda" and not cuda
    }
    colonies = tuple(
        some
        for one in design.colonies
        if one.label not in unable and (some := _on(one, away)) is not None
    )
    if not here or not colonies:
        return Readiness(None, away, unable)
    used = {name for one in colonies for name in one.instances}
    if all(one.instances for one in colonies):
        here = tuple(name for name in here if name in used)
    budgets = {name: budget for name, budget in design.budgets.items() if name in here}
    part = replace(design, instances=here, colonies=colonies, budgets=budgets)
    return Readiness(part, away, unable)


def limited_seconds(design: Design) -> float | None:
    """Return the sum of all runs' limits of time; None if some run has none."""
    total = 0.0
    for one in design.colonies:
        for name in one.instances or design.instances:
            seconds = design.budget_of(name).seconds
            if seconds is None:
                return None
            total += seconds * math.prod(map(len, one.parameters.values())) * len(design.seeds)
    return total


def _on(one: ColonyDesign, away: Mapping[str, str]) -> ColonyDesign | None:
    """Return the colony without the instances that are ``away``; None if that leaves none."""
    if not one.instances:
        return one
    left = tuple(name for name in one.instances if name not in away)
    return replace(one, instances=left) if left else None


def _labels(design: Design) -> set[str]:
    return {one.label_of(values) for one in design.colonies for values in one.combinations}


def _sentences(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise DesignError("[paper]: differs must be a list of sentences")
    return tuple(text_of({"differs": one}, "differs", LONGEST_SENTENCE) for one in value)


def _hours(paper: Mapping[str, Any], key: str) -> float | None:
    hours = paper.get(key)
    if hours is None:
        return None
    if not _is_number(hours) or hours < 0:
        raise DesignError(f"[paper]: {key} must be a number from 0 to {LARGEST:.0e}")
    return float(hours)


def _lists(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise DesignError("[paper]: lists must be a list of measures")
    for one in value:
        if one not in MEASURES or one in (*RATIOS, "greatest-deviation", "friedman", "friedman-p"):
            raise DesignError(f"[paper]: lists has {shown(one, 40)!r}, which cannot be listed")
    return tuple(value)


def _tables(value: object) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise DesignError("write [[paper.numbers]] with two brackets, once for each configuration")
    return value


def _numbers(table: Mapping[str, Any], labels: set[str]) -> Numbers:
    keys = ("configuration", "measure", "against", "values", "marks", "note")
    check_keys(table, keys, "[[paper.numbers]]")
    configuration = text_of(table, "configuration", LONGEST_LABEL)
    against = text_of(table, "against", LONGEST_LABEL)
    measure = text_of(table, "measure", LONGEST_LABEL)
    if measure not in MEASURES:
        raise DesignError(f"measure = {measure!r} must be one of {', '.join(MEASURES)}")
    for label in filter(None, (configuration, against)):
        if label not in labels:
            raise DesignError(f"[[paper.numbers]]: {label!r} is no configuration of the study")
    if bool(against) != (measure in RATIOS or measure == "greatest-deviation"):
        raise DesignError(f"[[paper.numbers]]: {measure} needs against, and no other measure does")
    values, marks = table.get("values", {}), table.get("marks", {})
    if not isinstance(values, dict) or not values or not all(map(_is_number, values.values())):
        raise DesignError("[[paper.numbers]]: values must have a number for each instance")
    if not isinstance(marks, dict) or not all(one in ("+", "-") for one in marks.values()):
        raise DesignError('[[paper.numbers]]: marks must be "+" or "-" by instance')
    return Numbers(
        configuration,
        measure,
        against,
        {shown(name): one for name, one in values.items()},
        marks,
        text_of(table, "note", LONGEST_LABEL),
    )


def _is_number(value: object) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return -LARGEST <= value <= LARGEST


def _folder() -> Path:
    return Path(str(importlib.resources.files("resources"))) / "studies"


def _order(path: Path) -> tuple[str, str, int]:
    """Sort by paper, then tables before figures, each by number."""
    paper, _, rest = path.stem.partition("-")
    kind, _, number = rest.partition("-")
    return paper, "z" if kind == "figure" else kind, int(number) if number.isdigit() else 0
