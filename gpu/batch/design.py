"""The design of a study, as its TOML file has it: what is compared, on what, and how often."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, Self, get_args

from gpu.aims import Aim
from gpu.core.errors import FormicariumError, ParameterError
from gpu.core.files import read_regular
from gpu.core.system import Place
from gpu.core.toml import table_of
from gpu.core.words import shown
from gpu.run.stopping import StopSettings


class DesignError(FormicariumError):
    """A design that cannot be used; the message says what to change."""


def read_text(path: Path) -> str:
    """Return the text of the file of a design, or raise DesignError."""
    try:
        return read_regular(path, DesignError).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DesignError(f"{path}: it is no text; save it as UTF-8") from error


def check_keys(table: Mapping[str, object], known: Sequence[str], where: str) -> None:
    """Raise DesignError if ``table`` has a key that is not ``known``."""
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise DesignError(f"{where} has the unknown key {shown(key, 40)!r}: {hint}")


def text_of(table: Mapping[str, object], key: str, most: int) -> str:
    """Return the text at ``key`` on one line; empty if there is none. DesignError if too long."""
    text = table.get(key, "")
    if not isinstance(text, str):
        raise DesignError(f"{key} must be a text in quotation marks")
    if len(text) > most:
        raise DesignError(f"{key} has {len(text)} characters; it may have {most}")
    return shown(" ".join(text.split()))


def is_whole(value: object) -> bool:
    """Whether ``value`` is a whole number; True and False are none."""
    return isinstance(value, int) and not isinstance(value, bool)


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


MOST_RUNS = 100_000
LONGEST_TITLE, LONGEST_LABEL = 200, 80  # characters
SEEDS = 2**63  # a seed of a study is smaller: SQLite has no larger whole numbers

Value = int | float | str

_PLACES: tuple[Place, ...] = get_args(Place)
PHASES = "phases"  # what may be measured beside the result: the time of each phase

_KEYS = ("title", "instances", "seeds", "budget", "budgets", "measure", "colony")
_COLONY_KEYS = ("label", "colony", "aim", "device", "instances", "parameters", "start")
_OTHERS = {  # tables of other files, and what these are
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
class Design:
    """Everything that decides which runs a study has. DesignError if it decides none, or many."""

    title: str
    instances: tuple[str, ...]  # files, patterns of files, or names of instances
    seeds: tuple[int, ...]
    budget: StopSettings  # of each run
    colonies: tuple[ColonyDesign, ...]
    # by the name of an instance: the budget of its runs, in the place of ``budget``
    budgets: Mapping[str, StopSettings] = field(default_factory=dict)
    measure: str = ""  # PHASES: iterations are made one by one, and the phases of each are timed
    apart: bool = False  # whether each configuration has seeds of its own, counted on from these

    def __post_init__(self) -> None:
        for what, some in (("instances", self.instances), ("seeds", self.seeds)):
            if not some:
                raise DesignError(f"{what} is empty: name one at least")
            if (twice := _twice(some)) is not None:
                raise DesignError(f"{what} has {twice!r} twice")
        if not self.colonies:
            raise DesignError("there is no colony: add a table [[colony]]")
        if (label := _twice([one.label for one in self.colonies])) is not None:
            raise DesignError(
                f"two colonies have the label {label!r}: give each of them a label of its own"
            )
        if not all(budget.limited for budget in (self.budget, *self.budgets.values())):
            raise DesignError(
                "the runs might never end: give seconds, iterations or another limit in [budget]"
            )
        if self.measure:
            for budget in (self.budget, *self.budgets.values()):
                if limits_of(budget).keys() - {"go_on", "seconds"} != {"iterations"}:
                    raise DesignError(
                        f'measure = "{self.measure}" needs iterations in [budget]; it may have '
                        "seconds beside them, and no other limit"
                    )
        combined = (math.prod(map(len, one.parameters.values())) for one in self.colonies)
        if len(self.seeds) * sum(combined) > MOST_RUNS:
            raise too_many()
        if self.apart and max(self.seeds) + self._span * (len(self.labels) - 1) >= SEEDS:
            raise DesignError("with apart = true some seeds would not be less than 2^63")

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Read a design, or raise DesignError."""
        return cls.from_table(table_of(text, DesignError))

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        """Read a design from the tables of a TOML file, or raise DesignError."""
        for key, what in _OTHERS.items():
            if key in table:
                raise DesignError(f"the file is {what}")
        check_keys(table, _KEYS, "the file")
        tables = table.get("colony", [])
        if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
            raise DesignError("write [[colony]] with two brackets, once for each colony")
        return cls(
            title=text_of(table, "title", LONGEST_TITLE) or "Study",
            instances=_instances(table.get("instances", [])),
            seeds=_seeds(table.get("seeds", {"first": 1, "count": 10})),
            budget=_budget(table.get("budget", {})),
            colonies=tuple(_colony(one) for one in tables),
            budgets=_budgets(table.get("budgets", {})),
            measure=_measure(table),
            apart=_apart(table.get("seeds", {})),
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

    def budget_of(self, instance: str) -> StopSettings:
        """Return the budget of the runs on the instance of this name."""
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
        if self.budgets:
            own = {name: limits_of(budget) for name, budget in self.budgets.items()}
            parts.append(
                "[budgets]\n" + "".join(f"{toml_key(one)} = {toml(own[one])}\n" for one in own)
            )
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
            }
            given = {name: value for name, value in table.items() if value not in ("", {}, [])}
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
    return DesignError(f"it would have more than {MOST_RUNS:,} runs: try fewer values or seeds")


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


def _instances(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise DesignError('instances must be a list of files or names, such as ["berlin52.tsp"]')
    return tuple(value)


def _seeds(value: object) -> tuple[int, ...]:
    if isinstance(value, dict):
        check_keys(value, ("first", "count", "apart"), "seeds")
        first, count = value.get("first", 1), value.get("count", 0)
        if not is_whole(first) or not is_whole(count) or not 1 <= count <= MOST_RUNS:
            raise DesignError(
                f"seeds must have a count from 1 to {MOST_RUNS:,}: {{ first = 1, count = 10 }}"
            )
        value = range(first, first + count)
    elif not isinstance(value, list) or not all(map(is_whole, value)):
        raise DesignError(
            "seeds must be whole numbers, such as [1, 2, 3] or { first = 1, count = 10 }"
        )
    for seed in (min(value, default=0), max(value, default=0)):
        if not 0 <= seed < SEEDS:
            raise DesignError("a seed of a study must be at least 0 and less than 2^63")
    if len(value) > MOST_RUNS:
        raise DesignError(f"there are more than {MOST_RUNS:,} seeds")
    return tuple(value)


def _apart(value: object) -> bool:
    found = value.get("apart", False) if isinstance(value, dict) else False
    if not isinstance(found, bool):
        raise DesignError("seeds: apart must be true or false")
    return found


def _budget(value: object) -> StopSettings:
    if not isinstance(value, dict):
        raise DesignError("budget must be a table: [budget], and limits such as seconds = 10 below")
    check_keys(value, tuple(StopSettings().to_dict()), "[budget]")
    try:
        return StopSettings.from_dict({"go_on": False, **value})
    except ParameterError as error:
        raise DesignError(f"[budget]: {error}") from error


def _budgets(value: object) -> dict[str, StopSettings]:
    if not isinstance(value, dict):
        raise DesignError("[budgets] must have a table for each instance: d198 = { seconds = 5 }")
    return {shown(name): _budget(limits) for name, limits in value.items()}


def _measure(table: Mapping[str, object]) -> str:
    found = text_of(table, "measure", LONGEST_LABEL)
    if found not in ("", PHASES):
        raise DesignError(f'measure = {found!r} must be "{PHASES}", or be left out')
    return found


def _colony(table: Mapping[str, Any]) -> ColonyDesign:
    check_keys(table, _COLONY_KEYS, "[[colony]]")
    colony, aim = text_of(table, "colony", LONGEST_LABEL), text_of(table, "aim", LONGEST_LABEL)
    if bool(colony) == bool(aim):
        raise DesignError('[[colony]] needs either colony = "acs" or the like, or aim = "best"')
    if aim:
        Aim.named(aim)
    device = table.get("device", "cpu:1")
    if device not in _PLACES:
        raise DesignError(
            f"device = {shown(str(device), 40)!r} must be {', '.join(_PLACES[:-1])} or "
            f"{_PLACES[-1]}: a study may go on on another machine, so it names the kind of device"
        )
    parameters = table.get("parameters", {})
    if not isinstance(parameters, dict):
        raise DesignError("parameters must be a table, such as { ants = 10, rho = [0.1, 0.5] }")
    return ColonyDesign(
        label=text_of(table, "label", LONGEST_LABEL) or colony or aim,
        colony=colony,
        aim=aim,
        device=device,
        parameters={name: _tried(name, value) for name, value in parameters.items()},
        start=_path(table.get("start", "")),
        instances=_instances(table.get("instances", [])),
    )


def _path(value: object) -> str:
    if not isinstance(value, str):
        raise DesignError('start must be the file of a tour, such as "tours/{instance}.tour"')
    return value


def _tried(name: str, value: object) -> tuple[Value, ...]:
    values = value if isinstance(value, list) else [value]
    if not values:
        raise DesignError(f"{name} has an empty list of values")
    for one in values:
        if isinstance(one, bool) or not isinstance(one, int | float | str):
            raise DesignError(f"{name} must be a number or a text, or a list of them")
        if isinstance(one, float) and not math.isfinite(one):
            raise DesignError(f"{name} = {one} is no finite number")
    if (twice := _twice(values)) is not None:
        raise DesignError(f"{name} has the value {twice!r} twice")
    return tuple(values)
