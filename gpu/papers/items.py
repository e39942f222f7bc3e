"""Tables and figures of papers as studies: what was done there, its numbers, and what can run here.

An item is a file of a study with one more table, ``[paper]``; docs/guide/reproduce.md explains it.
"""

from __future__ import annotations

import importlib.resources
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import msgspec

from gpu.core.errors import FormicariumError, InstanceError
from gpu.core.files import exists
from gpu.core.records import need_known_keys
from gpu.core.stop_limits import LIMIT_LARGEST
from gpu.core.toml import table_of
from gpu.core.words import counted, shown
from gpu.papers.claims import Claim, Names, check_claim
from gpu.run.stopping import StopSettings
from gpu.studies.cases import DONE, FAILED, StudyResults
from gpu.studies.design import (
    ColonyDesign,
    Design,
    DesignError,
    Label,
    Title,
    line_of,
    read_as,
    read_text,
)

LONGEST_SENTENCE = 1000  # characters
RESULTS_KEPT = Path(str(importlib.resources.files("resources"))) / "results"
BY_INSTANCE = "instance"  # what a figure has to the right, if no parameter
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
    "construction-speedup": ("speedup of construction, on all instances the greatest", "times"),
    "update-speedup": ("speedup of the update, on all instances the greatest", "times"),
    "occupancy": ("warps that build tours at once, of those that could", "%"),
    "tabu-bytes": ("bytes of an ant's tabu", ""),
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

FRIEDMAN = ("friedman", "friedman-p")
"""Measures that are of all configurations together."""

_COMPARES = (*RATIOS, "greatest-deviation")
_ALONE = tuple(one for one in MEASURES if one not in (*_COMPARES, *FRIEDMAN))

Sentence = Annotated[str, msgspec.Meta(max_length=LONGEST_SENTENCE)]
Number = Annotated[float, msgspec.Meta(ge=-LIMIT_LARGEST, le=LIMIT_LARGEST)]
Hours = Annotated[float, msgspec.Meta(ge=0, le=LIMIT_LARGEST)]


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers of one kind that a paper has of one configuration: ``[[paper.numbers]]``."""

    measure: str  # one of MEASURES
    # by instance, or ALL
    values: Annotated[dict[str, Number], msgspec.Meta(min_length=1)]
    configuration: Label = ""  # its label in the design; empty for what is of all configurations
    against: Label = ""  # label of what a speedup or a deviation is relative to; else empty
    # by instance: the paper's mark of significance
    marks: dict[str, Literal["+", "-"]] = field(default_factory=dict)
    note: Label = ""  # what else belongs to them, such as the device


@dataclass(frozen=True, slots=True)
class Quoted:
    """Numbers that a paper quotes of another algorithm: ``[[paper.quoted]]``."""

    algorithm: Label
    measure: str  # one of MEASURES that stands alone
    values: Annotated[dict[str, Number], msgspec.Meta(min_length=1)]  # by instance


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureDesign:
    """What a figure of the paper has on its axes: ``[[paper.figures]]``."""

    measure: str  # one of MEASURES, upwards
    by: Label  # a parameter of the colonies, or BY_INSTANCE, to the right
    against: Label = ""  # label of what a speedup is relative to
    each: Literal["instance", "colony"] = "instance"  # has a figure of its own, with its curves


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperTable:
    """The table ``[paper]`` of an item's file. Texts are one line each."""

    item: Label  # such as Table 5
    authors: Title = ""
    year: Annotated[int, msgspec.Meta(ge=0, le=9999)] = 0
    title: Title = ""  # of the paper
    shows: Sentence = ""  # what the item compares, in a sentence
    gpu: Title = ""  # of the paper
    cpu: Title = ""  # of the paper
    claims: tuple[Claim, ...] = ()  # what the paper's text says of the outcome
    differs: tuple[Sentence, ...] = ()  # what is not as in the paper
    baseline: Label = ""  # label that others are compared with; empty: with the lowest mean
    hours: Hours | None = None  # that the paper's hardware took, by its own times
    h100_hours: Hours | None = None  # that an H100 or H200 takes, by the runs in docs/papers
    numbers: tuple[Numbers, ...] = ()
    figures: tuple[FigureDesign, ...] = ()  # as the paper's authors drew them
    quoted: tuple[Quoted, ...] = ()
    lists: tuple[str, ...] = ()  # measures of which ours are shown, where the paper has no numbers


_TEXT = "a text in quotation marks, and not too long"
_ITEM_MUST = {
    **dict.fromkeys(("authors", "title", "shows", "gpu", "cpu", "baseline"), _TEXT),
    **dict.fromkeys(("configuration", "against", "note", "algorithm"), _TEXT),
    **dict.fromkeys(("hours", "h100_hours"), f"a number from 0 to {LIMIT_LARGEST:.0e}"),
    "item": '"Table 5" or the like',
    "year": "a year, such as 2016",
    "differs": "a list of sentences",
    "lists": "a list of measures",
    **dict.fromkeys(("where", "check", "untested", "ours", "cause"), _TEXT),
    "says": "what the paper says, a text in quotation marks, and not too long",
    "on": 'a list of instances, or ["*"]',
    "over": "a table with a list of values for each name",
    "cases": "the number of cases that must hold, from 1 on",
    "figures": "written as [[paper.figures]], with two brackets, once for each figure",
    "by": f'a parameter, or "{BY_INSTANCE}"',
    "each": '"instance" or "colony"',
    "claims": "written as [[paper.claims]], with two brackets, once for each claim",
    "quoted": "written as [[paper.quoted]], with two brackets, once for each algorithm",
    "numbers": "written as [[paper.numbers]], with two brackets, once for each configuration",
    "measure": f"one of {', '.join(MEASURES)}",
    "values": "a table with a number for each instance",
    "marks": '"+" or "-" by instance',
}
"""What the value of a key must be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item(PaperTable):
    """A table or figure of a paper."""

    name: str  # such as 2016/table-5
    path: Path
    design: Design  # with as many runs as the paper has
    text: str = field(repr=False, default="")  # of the file

    @property
    def kept_results(self) -> Path:
        """The file of the results that come with the program; perhaps there is none."""
        return RESULTS_KEPT / f"{self.path.stem}.sqlite"

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
        paper = _on_lines(paper)
        design = Design.from_table(table)
        kinds = {"numbers": Numbers, "quoted": Quoted, "claims": Claim, "figures": FigureDesign}
        for key, kind in kinds.items():
            several = paper.get(key, [])
            for one in several if isinstance(several, list) else ():
                if isinstance(one, dict):
                    names = (each.name for each in fields(kind))
                    need_known_keys(one, names, DesignError, f"[[paper.{key}]]")
        found = read_as(PaperTable, paper, "[paper]", _ITEM_MUST)
        _check(found, set(design.labels))
        for claim in found.claims:
            check_claim(claim, names_of(design, found.quoted))
        read = {one.name: getattr(found, one.name) for one in fields(found)}
        return cls(name=name, path=path, design=design, text=text, **read)


def _on_lines(value: Any) -> Any:
    """Return what a table has with each text, and each key, on one line."""
    if isinstance(value, str):
        return line_of(value)
    if isinstance(value, list):
        return list(map(_on_lines, value))
    if isinstance(value, dict):
        return {shown(key): _on_lines(one) for key, one in value.items()}
    return value


def _check(paper: PaperTable, labels: Collection[str]) -> None:
    """Raise DesignError unless what ``paper`` names is there."""
    if not paper.item:
        raise DesignError('[paper] needs item = "Table 5" or the like')
    if paper.baseline and paper.baseline not in labels:
        raise DesignError(
            f"[paper]: baseline = {paper.baseline!r} is no configuration of the study"
        )
    for listed in paper.lists:
        if listed not in _ALONE:
            raise DesignError(f"[paper]: lists has {shown(listed, 40)!r}, which cannot be listed")
    for figure in paper.figures:
        where = "[[paper.figures]]"
        if figure.measure not in (*_ALONE, *_COMPARES):
            raise DesignError(f"{where}: measure = {figure.measure!r} cannot be drawn")
        if bool(figure.against) != (figure.measure in _COMPARES):
            needs = "has no" if figure.against else "needs"
            raise DesignError(f"{where}: {figure.measure} {needs} against")
        if figure.against and figure.against not in labels:
            raise DesignError(f"{where}: {figure.against!r} is no configuration of the study")
    for numbers in paper.numbers:
        measure, against = numbers.measure, numbers.against
        if measure not in MEASURES:
            raise DesignError(f"measure = {measure!r} must be {_ITEM_MUST['measure']}")
        for label in filter(None, (numbers.configuration, against)):
            if label not in labels:
                raise DesignError(f"[[paper.numbers]]: {label!r} is no configuration of the study")
        if bool(against) != (measure in _COMPARES):
            raise DesignError(
                f"[[paper.numbers]]: {measure} needs against, and no other measure does"
            )
    for one in paper.quoted:
        if one.measure not in _ALONE:
            raise DesignError(
                f"[[paper.quoted]]: measure = {shown(one.measure, 40)!r} must be one of "
                f"{', '.join(_ALONE)}"
            )
        if one.algorithm in labels or not one.algorithm:
            raise DesignError(
                f"[[paper.quoted]]: algorithm = {one.algorithm!r} must be a name that no "
                f"configuration of the study has"
            )


def names_of(design: Design, quoted: Sequence[Quoted]) -> Names:
    """Return what the condition of a claim may name."""
    return Names(
        MEASURES,
        ("speedup", "construction-speedup", "update-speedup"),
        FRIEDMAN,
        design.labels,
        design.instances,
        {one.algorithm for one in quoted},
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
            seconds = design.budget_of(name, one).seconds
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


def _folder() -> Path:
    return Path(str(importlib.resources.files("resources"))) / "studies"


def _order(path: Path) -> tuple[str, str, int, str]:
    """Sort by paper, then tables before figures, each by number; what else is of it comes next."""
    paper, _, rest = path.stem.partition("-")
    kind, _, number = rest.partition("-")
    first, _, part = number.partition("-")
    place = int(first) if first.isdigit() else 0
    return paper, "z" if kind == "figure" else kind, place, part


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
        """Return what ``results`` lack of the ``design`` that they are a part of.

        Runs that still wait are lacking, if any run has ended.
        """
        whole = len(design.seeds)
        rows = [row for row in results.rows if row.state in (DONE, FAILED)] or results.rows
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
                own = None if one.budget is None else self._shorter(one.budget)
                yield replace(one, instances=on, budget=own)

    def _shorter(self, budget: StopSettings) -> StopSettings:
        def least(given: float | None, most: float | None) -> float | None:
            return min((one for one in (given, most) if one is not None), default=None)

        iterations = least(budget.iterations, self.iterations)
        return replace(
            budget,
            iterations=None if iterations is None else int(iterations),
            seconds=least(budget.seconds, self.seconds),
        )


WHOLE_STUDY = Trial()  # leaves nothing out
