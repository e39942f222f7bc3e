"""The design of a study, as its TOML file has it: what is compared, on what, and how often."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar, cast, get_args

import msgspec

from gpu.aims import Aim
from gpu.core.errors import FormicariumError, InstanceError, ParameterError
from gpu.core.files import read_regular
from gpu.core.records import need_known_keys, record_of
from gpu.core.stop_limits import LIMIT_LARGEST
from gpu.core.system import Place
from gpu.core.toml import table_of
from gpu.core.words import shown
from gpu.problems.reading import ReadAs
from gpu.run.stopping import StopSettings


class DesignError(FormicariumError):
    """A design that cannot be used; the message says what to change."""


def read_text(path: Path) -> str:
    """Return the text of the file of a design, or raise DesignError."""
    try:
        return read_regular(path, DesignError).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DesignError(f"{path}: it is no text; save it as UTF-8") from error


def line_of(text: str) -> str:
    """Return ``text`` from a file on one line, as it can be shown."""
    return shown(" ".join(text.split()))


def lines_of(table: Mapping[str, object]) -> str:
    """Return the lines of a table: a key and its value each."""
    return "".join(f"{name} = {toml(value)}\n" for name, value in table.items())


def toml(value: object) -> str:
    """Return ``value`` as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, Mapping):
        return (
            "{ " + ", ".join(f"{toml_key(key)} = {toml(one)}" for key, one in value.items()) + " }"
        )
    if isinstance(value, Iterable):
        return "[" + ", ".join(map(toml, value)) + "]"
    return repr(value)


def toml_key(name: str) -> str:
    """Return ``name`` as TOML writes a key."""
    bare = name.isascii() and name.replace("_", "a").replace("-", "a").isalnum()
    return name if bare else toml(name)


MOST_CASES = 100_000
LONGEST_TITLE, LONGEST_ROW_LABEL = 200, 80  # characters
SEEDS_END = 2**63  # a seed of a study is smaller: SQLite has no larger whole numbers

Value = int | float | str
T = TypeVar("T")

_DEVICE_KINDS: tuple[Place, ...] = get_args(Place)
MEASURE_PHASES = "phases"  # what may be measured beside the result: the time of each phase

_OTHER_FILES = {  # tables of other files, and what these are
    "step": "a script: formicarium present plays it, and so does File > Play a script…",
    "paper": "an item of a paper: formicarium reproduce runs it",
}


@dataclass(frozen=True, slots=True)
class ColonyDesign:
    """One table ``[[colony]]``: a colony, or several that differ in the values of parameters."""

    label: str  # what reports call it
    colony: str = ""  # a name of the catalog; empty where an aim chooses
    aim: str = ""  # what chooses colony and parameters; empty where a colony is named
    device: Place = "cpu:1"
    # by name: the values to try, one at least; every combination is run
    parameters: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    start: str = ""  # the file of the tour to begin with; {instance} stands for the name
    instances: tuple[str, ...] = ()  # names of those that it runs on; empty: on all
    alone: bool = False  # whether nothing may run beside its runs, because their times are compared
    # of each of its runs, in the place of the study's; None: those
    budget: StopSettings | None = None

    @property
    def combinations(self) -> tuple[dict[str, Value], ...]:
        """Each combination of the parameters' values."""
        return tuple(
            dict(zip(self.parameters, values, strict=True))
            for values in product(*self.parameters.values())
        )

    def label_of(self, values: Mapping[str, Value]) -> str:
        """Return the label of a combination: that of the table, and each value that varies."""
        swept = [name for name, tried in self.parameters.items() if len(tried) > 1]
        return ", ".join([self.label, *(f"{name} {values[name]}" for name in swept)])


@dataclass(frozen=True, slots=True)
class MeasuredLimit:
    """The table ``[measured_limit]``: a run may last as long as this colony takes.

    That is measured on each instance, on the machine that runs the study, before it begins.
    """

    of: ColonyDesign  # what is measured: one combination of parameters
    iterations: int  # that it makes
    runs: int  # whose mean time counts


@dataclass(frozen=True, slots=True)
class Design:
    """Everything that decides which runs a study has. DesignError if it decides none, or many."""

    title: str
    instances: tuple[str, ...]  # files, patterns of files, or names of instances
    seeds: tuple[int, ...]
    budget: StopSettings  # of each run
    colonies: tuple[ColonyDesign, ...]
    # by the name of an instance: the budget of its runs, in the place of ``budget``
    budgets: Mapping[str, StopSettings] = field(default_factory=dict)
    # by one of ``instances``: how its files are read, and where routes begin and end
    reading: Mapping[str, ReadAs] = field(default_factory=dict)
    measure: str = (
        ""  # MEASURE_PHASES: iterations are made one by one, and the phases of each are timed
    )
    apart: bool = False  # whether each configuration has seeds of its own, counted on from these
    measured_limit: MeasuredLimit | None = (
        None  # of runs on instances without a budget of their own
    )

    def __post_init__(self) -> None:
        for what, some in (("instances", self.instances), ("seeds", self.seeds)):
            if not some:
                raise DesignError(f"{what} is empty: name one at least")
            if (twice := _twice(some)) is not None:
                raise DesignError(f"{what} has {twice!r} twice")
        for text in self.reading:
            if text not in self.instances:
                raise DesignError(
                    f"[reading] has {shown(text)!r}, which is none of instances; it has "
                    f"{', '.join(map(shown, self.instances))}"
                )
        if not self.colonies:
            raise DesignError("there is no colony: add a table [[colony]]")
        if (label := _twice([one.label for one in self.colonies])) is not None:
            raise DesignError(
                f"two colonies have the label {label!r}: give each of them a label of its own"
            )
        usual = () if self.measured_limit else (self.budget,)
        own = (one.budget for one in self.colonies if one.budget is not None)
        budgets = (*usual, *self.budgets.values(), *own)
        if not all(budget.limited for budget in budgets):
            raise DesignError(
                "the runs might never end: give seconds, iterations or another limit in [budget]"
            )
        if self.measure:
            for budget in (self.budget, *budgets):
                if limits_of(budget).keys() - {"go_on", "seconds"} != {"iterations"}:
                    raise DesignError(
                        f'measure = "{self.measure}" needs iterations in [budget]; it may have '
                        "seconds beside them, and no other limit"
                    )
        combined = (math.prod(map(len, one.parameters.values())) for one in self.colonies)
        if len(self.seeds) * sum(combined) > MOST_CASES:
            raise too_many()
        if self.apart and max(self.seeds) + self._span * (len(self.labels) - 1) >= SEEDS_END:
            raise DesignError("with apart = true some seeds would not be less than 2^63")

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Read a design, or raise DesignError."""
        return cls.from_table(table_of(text, DesignError))

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        """Read a design from the tables of a TOML file, or raise DesignError."""
        for key, what in _OTHER_FILES.items():
            if key in table:
                raise DesignError(f"the file is {what}")
        must = {**_MUST, "colony": "written as [[colony]], with two brackets, once for each colony"}
        if isinstance(seeds := table.get("seeds"), dict):
            need_known_keys(seeds, ("first", "count", "apart"), DesignError, "seeds")
        found = read_as(_DesignTable, table, "the file", must)
        return cls(
            title=line_of(found.title) or "Study",
            instances=tuple(found.instances),
            seeds=_seeds(found.seeds),
            budget=_budget(found.budget),
            colonies=tuple(map(_colony, found.colony)),
            budgets={shown(name): _budget(limits) for name, limits in found.budgets.items()},
            reading={text: _reading(text, said) for text, said in found.reading.items()},
            measure=found.measure,
            apart=isinstance(found.seeds, _SeedsTable) and found.seeds.apart,
            measured_limit=_measured_limit(found.measured_limit),
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of all configurations."""
        return tuple(one.label_of(values) for one in self.colonies for values in one.combinations)

    @property
    def seeds_by_label(self) -> dict[str, tuple[int, ...]]:
        """The seeds of each configuration, by its label."""
        span = self._span if self.apart else 0
        return {
            label: tuple(seed + span * turn for seed in self.seeds)
            for turn, label in enumerate(self.labels)
        }

    @property
    def _span(self) -> int:
        """By how much the seeds of a configuration differ from those of the one before it."""
        return max(self.seeds) - min(self.seeds) + 1

    def budget_of(self, instance: str, one: ColonyDesign | None = None) -> StopSettings:
        """Return the budget of the runs on the instance of this name, those of ``one`` if given."""
        if one is not None and one.budget is not None:
            return one.budget
        return self.budgets.get(instance, self.budget)

    @property
    def limits(self) -> dict[str, object]:
        """The limits of each run by name; ``instances`` has those of instances with their own."""
        own = {name: limits_of(budget) for name, budget in self.budgets.items()}
        return {**limits_of(self.budget), **({"instances": own} if own else {})}

    def to_toml(self) -> str:
        """Return the text of a file that :meth:`from_toml` reads as this design."""
        first, count = self.seeds[0], len(self.seeds)
        seeds: Any = list(self.seeds)
        if self.seeds == tuple(range(first, first + count)):
            seeds = {"first": first, "count": count, **({"apart": True} if self.apart else {})}
        parts = [
            lines_of({"title": self.title, "instances": list(self.instances), "seeds": seeds})
            + (lines_of({"measure": self.measure}) if self.measure else ""),
            "[budget]\n" + lines_of(limits_of(self.budget)),
        ]
        if self.reading:
            said = (
                f"{toml_key(text)} = {toml(one.to_table())}" for text, one in self.reading.items()
            )
            parts.append("\n".join(("[reading]", *said, "")))
        if self.budgets:
            own = {name: limits_of(budget) for name, budget in self.budgets.items()}
            parts.append(
                "[budgets]\n" + "".join(f"{toml_key(one)} = {toml(own[one])}\n" for one in own)
            )
        if (limit := self.measured_limit) is not None:
            (chosen,) = limit.of.combinations
            told: dict[str, object] = {
                "colony": limit.of.colony,
                "device": limit.of.device,
                "iterations": limit.iterations,
                "runs": limit.runs,
                **({"parameters": chosen} if chosen else {}),
            }
            parts.append("[measured_limit]\n" + lines_of(told))
        for one in self.colonies:
            values = {
                name: list(tried) if len(tried) > 1 else tried[0]
                for name, tried in one.parameters.items()
            }
            table = {
                "label": one.label,
                "colony": one.colony,
                "aim": one.aim,
                "device": one.device,
                "instances": list(one.instances),
                "parameters": values,
                "start": one.start,
                "alone": one.alone,
                "budget": {} if one.budget is None else limits_of(one.budget),
            }
            given = {name: value for name, value in table.items() if value not in ("", {}, [], 0)}
            parts.append("[[colony]]\n" + lines_of(given))
        return "\n".join(parts)


def limits_of(budget: StopSettings) -> dict[str, float | bool]:
    """Return the limits that are set, by name."""
    return {
        name: value
        for name, value in budget.to_dict().items()
        if value is not None and value is not False
    }


def too_many() -> DesignError:
    """Return the error that a study has too many runs."""
    return DesignError(f"it would have more than {MOST_CASES:,} runs: try fewer values or seeds")


def read_design(path: Path) -> tuple[Design, str]:
    """Read the file of a design; return it with the file's text. DesignError names the file."""
    text = read_text(path)
    try:
        return Design.from_toml(text), text
    except FormicariumError as error:
        raise DesignError(f"{path}: {error}") from error


def _twice(some: Sequence[Any]) -> Any:
    """Return one of ``some`` that is there twice; None if there is none."""
    seen: set[Any] = set()
    for one in some:
        if one in seen:
            return one
        seen.add(one)
    return None


Label = Annotated[str, msgspec.Meta(max_length=LONGEST_ROW_LABEL)]
Title = Annotated[str, msgspec.Meta(max_length=LONGEST_TITLE)]
_Names = list[Annotated[str, msgspec.Meta(min_length=1)]]


@dataclass
class _SeedsTable:
    count: Annotated[int, msgspec.Meta(ge=1, le=MOST_CASES)]
    first: int = 1
    apart: bool = False


@dataclass
class _ColonyTable:
    label: Label = ""
    colony: Label = ""
    aim: Label = ""
    device: Place = "cpu:1"
    instances: _Names = field(default_factory=list)
    parameters: dict[str, Any] = field(default_factory=dict)
    start: str = ""
    alone: bool = False
    budget: dict[str, Any] = field(default_factory=dict)


@dataclass
class _MeasuredLimitTable:
    colony: Label
    iterations: Annotated[int, msgspec.Meta(ge=1, le=LIMIT_LARGEST)]
    device: Place = "cpu:1"
    parameters: dict[str, Any] = field(default_factory=dict)
    runs: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 3


@dataclass
class _DesignTable:
    title: Title = ""
    instances: _Names = field(default_factory=list)
    seeds: _SeedsTable | Annotated[list[int], msgspec.Meta(max_length=MOST_CASES)] = field(
        default_factory=lambda: _SeedsTable(10)
    )
    budget: dict[str, Any] = field(default_factory=dict)
    budgets: dict[str, dict[str, Any]] = field(default_factory=dict)
    reading: dict[str, dict[str, Any]] = field(default_factory=dict)
    measure: Literal["", "phases"] = ""
    measured_limit: dict[str, Any] | None = None
    colony: list[dict[str, Any]] = field(default_factory=list)


_LABEL = f"a text in quotation marks of at most {LONGEST_ROW_LABEL} characters"
_MUST = {
    "title": f"a text in quotation marks of at most {LONGEST_TITLE} characters",
    "label": _LABEL,
    "aim": _LABEL,
    "instances": 'a list of files or names, such as ["berlin52.tsp"]',
    "seeds": "whole numbers, such as [1, 2, 3] or { first = 1, count = 10 }",
    "count": f"a whole number from 1 to {MOST_CASES:,}, as in seeds = {{ first = 1, count = 10 }}",
    "apart": "true or false",
    "alone": "true or false",
    "budget": "a table: [budget], and limits such as seconds = 10 below; in a colony, "
    "budget = { seconds = 10 }",
    "budgets": "a table for each instance: d198 = { seconds = 5 }",
    "reading": 'a table for each file or pattern: "towns.csv" = { from = "Bern", open = true }',
    "measure": f'"{MEASURE_PHASES}", or be left out',
    "measured_limit": 'a table: [measured_limit], and colony = "acs" and iterations = 1000 below',
    "iterations": "a whole number, 1 or more",
    "runs": "a whole number from 1 to 1000",
    "device": f"{', '.join(_DEVICE_KINDS[:-1])} or {_DEVICE_KINDS[-1]}: a study may go on on "
    "another machine, so it names the kind of device",
    "parameters": "a table, such as { ants = 10, rho = [0.1, 0.5] }",
    "start": 'the file of a tour, such as "tours/{instance}.tour"',
}
"""What the value of a key must be."""


def read_as(kind: type[T], table: Mapping[str, Any], where: str, must: Mapping[str, str]) -> T:
    """Return the ``kind``, a dataclass, that a table describes; DesignError if it does not."""
    need_known_keys(table, (one.name for one in fields(cast("Any", kind))), DesignError, where)
    return record_of(kind, table, DesignError, "", must)


def _seeds(found: _SeedsTable | list[int]) -> tuple[int, ...]:
    if isinstance(found, list):
        seeds = tuple(found)
    else:
        seeds = tuple(range(found.first, found.first + found.count))
    if not all(0 <= seed < SEEDS_END for seed in (min(seeds, default=0), max(seeds, default=0))):
        raise DesignError("a seed of a study must be at least 0 and less than 2^63")
    return seeds


def _budget(table: Mapping[str, Any]) -> StopSettings:
    need_known_keys(table, StopSettings().to_dict(), DesignError, "[budget]")
    try:
        return StopSettings.from_dict({"go_on": False, **table})
    except ParameterError as error:
        raise DesignError(f"[budget]: {error}") from error


def _measured_limit(table: Mapping[str, Any] | None) -> MeasuredLimit | None:
    if table is None:
        return None
    found = read_as(_MeasuredLimitTable, table, "[measured_limit]", {**_MUST, "colony": _LABEL})
    colony = line_of(found.colony)
    parameters = {name: _tried(name, value) for name, value in found.parameters.items()}
    one = ColonyDesign(colony, colony, device=found.device, parameters=parameters)
    if len(one.combinations) > 1:
        raise DesignError("[measured_limit]: each parameter has one value there")
    return MeasuredLimit(one, found.iterations, found.runs)


def _reading(text: str, table: Mapping[str, Any]) -> ReadAs:
    try:
        return ReadAs.of_table(table)
    except InstanceError as error:
        raise DesignError(f"[reading], {shown(text)}: {error}") from error


def _colony(table: Mapping[str, Any]) -> ColonyDesign:
    found = read_as(_ColonyTable, table, "[[colony]]", {**_MUST, "colony": _LABEL})
    colony, aim = line_of(found.colony), line_of(found.aim)
    if bool(colony) == bool(aim):
        raise DesignError('[[colony]] needs either colony = "acs" or the like, or aim = "best"')
    if aim:
        Aim.named(aim)
    return ColonyDesign(
        label=line_of(found.label) or colony or aim,
        colony=colony,
        aim=aim,
        device=found.device,
        parameters={name: _tried(name, value) for name, value in found.parameters.items()},
        start=found.start,
        instances=tuple(found.instances),
        alone=found.alone,
        budget=_budget(found.budget) if found.budget else None,
    )


def _tried(name: str, value: object) -> tuple[Value, ...]:
    values: list[Value] = value if isinstance(value, list) else [value]  # type: ignore[list-item]
    if not all(type(one) in get_args(Value) for one in values):
        raise DesignError(f"{name} must be a number or a text, or a list of them")
    if not values:
        raise DesignError(f"{name} has an empty list of values")
    for one in values:
        if isinstance(one, float) and not math.isfinite(one):
            raise DesignError(f"{name} = {one} is no finite number")
    if (twice := _twice(values)) is not None:
        raise DesignError(f"{name} has the value {twice!r} twice")
    return tuple(values)
