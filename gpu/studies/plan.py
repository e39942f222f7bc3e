"""The plan of a study: every case of its design, fixed before the first one begins."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from gpu import catalog
from gpu.aims import Aim, choice
from gpu.core.errors import FormicariumError, InstanceError, ParameterError
from gpu.core.files import exists
from gpu.core.instance import Instance
from gpu.core.machine.devices import Device
from gpu.core.system import Place
from gpu.problems.bundled import bundled
from gpu.problems.loading import check_is_used, load_instance
from gpu.problems.reading import AS_FOUND, ReadAs
from gpu.run.session import InstanceReference, StartReference
from gpu.studies.cases import Case, CaseInstance, Configuration
from gpu.studies.design import (
    MOST_CASES,
    ColonyDesign,
    Design,
    DesignError,
    Value,
    too_many,
)

MOST_LOOKED_AT = 100_000  # files and folders; more may take hours


_ANY: Mapping[Place, Device] = {
    "cuda": Device("cuda", "cuda", 0, 1, "", 0),
    "cpu": Device("cpu", "cpu", 0, 1, "", 0),
    "cpu:1": Device("cpu:1", "cpu", 0, 1, "", 0),
}
"""What stands for each kind of device in a plan, which is the same on every machine."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A design, and its cases in the order in which they begin."""

    design: Design
    text: str  # the file of the design
    cases: tuple[Case, ...]


def find_bundled(name: str) -> Path:
    """Return the file of the bundled instance ``name``, or raise InstanceError."""
    for one in bundled():
        if one.name == name:
            return one.path
    raise InstanceError(f"{name}: there is no such file, nor a bundled instance of this name")


def make_plan(
    design: Design,
    folder: Path,
    text: str = "",
    *,
    find: Callable[[str], Path] = find_bundled,
    reading: Callable[[str], object] = lambda name: None,
) -> Plan:
    """Return all runs of ``design``, whose paths begin at ``folder``.

    Every instance is read, and everything is checked. Text names no file but perhaps an instance:
    ``find`` returns its file, or raises InstanceError. ``reading`` is told of each instance before
    it is read. The ``text`` of the design is kept with the results.

    The runs take turns: each seed of all colonies on all instances comes before the next seed, so
    that whatever changes meanwhile, such as a device's clocks, changes for all of them.

    Raises
    ------
    InstanceError
        If an instance or a tour to begin with is not there or cannot be used.
    ParameterError, DeviceError
        If a colony is unknown, does not solve an instance or does not run on its device, or a value
        is out of its range.
    DesignError
        If two instances have one name, two colonies are the same, or there are too many runs.
    """
    several = []
    digests: dict[str, str] = {}  # of each name
    named: dict[str, Path] = {}
    said: dict[str, ReadAs] = {}  # of each digest
    for path, read_as in _files_of(design, folder, find):
        reading(path.name)
        instance = load_instance(path, read_as=str(read_as))
        check_is_used(read_as, instance, str(path))
        if (other := said.setdefault(instance.sha256, read_as)) != read_as:
            raise DesignError(
                f"{path}: the study would read it in two ways, {_in_words(other)} and "
                f"{_in_words(read_as)}: give each of them a study of its own"
            )
        if instance.sha256 in digests.values():
            continue  # two patterns fit one file
        if instance.name in digests:
            raise DesignError(
                f"two instances have the name {instance.name}, and reports could not tell them "
                f"apart: leave out {named[instance.name]} or {path}"
            )
        digests[instance.name], named[instance.name] = instance.sha256, path
        for budget in {design.budget_of(instance.name, one) for one in design.colonies}:
            if not budget.limited:
                raise DesignError(f"the limit of time on {instance.name} is not measured yet")
            budget.criteria(instance)  # refuses a criterion that is impossible here
        planned = CaseInstance(
            InstanceReference(str(path.absolute()), instance.name, instance.sha256, str(read_as)),
            instance.real_n,
            instance.problem.value,
            instance.optimum,
            instance.cost_unit,
        )
        several.append(
            [
                (planned, design.budget_of(instance.name, colony), *one, colony.alone)
                for colony in design.colonies
                for one in _configurations(design, colony, instance, folder)
            ]
        )
        if len(design.seeds) * sum(map(len, several)) > MOST_CASES:
            raise too_many()
    seeds = design.seeds_by_label
    cases = tuple(
        Case(
            instance,
            configuration,
            seeds[configuration.label][turn],
            budget,
            start,
            design.measure,
            alone,
        )
        for turn in range(len(design.seeds))
        for group in several
        for instance, budget, configuration, start, alone in group
    )
    _check_names(design, digests)
    _check_different(cases)
    return Plan(design, text or design.to_toml(), cases)


def _files_of(
    design: Design, folder: Path, find: Callable[[str], Path]
) -> Iterator[tuple[Path, ReadAs]]:
    """Yield the files of the design's instances, and how they are read."""
    for text in design.instances:
        read_as = design.reading.get(text, AS_FOUND)
        if exists(folder / text):
            paths = [folder / text]
        elif is_pattern(text):
            paths = matching(folder, text)
        else:
            paths = [find(text)]
        for path in paths:
            yield path, read_as


def _in_words(read_as: ReadAs) -> str:
    """Return what was said of a file, as the command line has it."""
    return " ".join(read_as.options()) or "with nothing said of it"


def _configurations(
    design: Design, one: ColonyDesign, instance: Instance, folder: Path
) -> Iterator[tuple[Configuration, StartReference | None]]:
    """Yield what of a colony of the design runs on ``instance``, and what it begins with."""
    if one.instances and instance.name not in one.instances:
        return
    for values in one.combinations:
        try:
            configuration = _configuration(one, values, instance, len(design.instances) > 1)
            start = None
            if one.start:
                system = catalog.named(configuration.colony)
                catalog.check_takes_start(system, _ANY[one.device])
                file = folder / one.start.replace("{instance}", instance.name)
                start = StartReference.of(file, instance)
        except FormicariumError as error:
            raise type(error)(f"{one.label} on {instance.name}: {error}") from error
        yield configuration, start


def _configuration(
    one: ColonyDesign, values: Mapping[str, Value], instance: Instance, beside_others: bool
) -> Configuration:
    """Return one combination of values; raise an error unless it can run on ``instance``.

    If that is ``beside_others``, the colony may be meant for these alone, and the error says how.
    """
    device = _ANY[one.device]
    given: Mapping[str, Any] = values
    if one.colony:
        if one.colony not in catalog.names():
            raise catalog.unknown(one.colony)
        system = catalog.find(one.colony, device)
    else:
        picked = choice(Aim.named(one.aim), instance, device, starts=bool(one.start))
        system, given = picked.system, {**picked.parameters, **values}
    try:
        catalog.check_solves(system, instance)
    except ParameterError as error:
        if one.instances or not beside_others:
            raise
        name_them = "name those that it is for, as instances = [...] below its [[colony]]"
        raise ParameterError(f"{error}; or, in the study's file, {name_them}") from error
    parameters = system.parameters.from_mapping(given)
    parameters.check(instance)
    usual, chosen = system.parameters().to_dict(), parameters.to_dict()
    return Configuration(
        label=one.label_of(values),
        colony=system.name,
        aim=one.aim,
        device=one.device,
        parameters={name: value for name, value in chosen.items() if value != usual[name]},
        values=chosen,
    )


def _check_names(design: Design, names: Mapping[str, str]) -> None:
    """Raise DesignError if a budget or a colony is of an instance that the study has not."""
    meant = [*design.budgets, *(name for one in design.colonies for name in one.instances)]
    for name in meant:
        if name not in names:
            raise DesignError(
                f"a budget or a colony names the instance {name}, and the study has none of this "
                f"name; it has {', '.join(names)}"
            )


def _check_different(cases: tuple[Case, ...]) -> None:
    """Raise DesignError if two runs are the same but for their label."""
    labels: dict[str, str] = {}
    for case in cases:
        label = case.configuration.label
        if (other := labels.setdefault(case.key, label)) != label:
            raise DesignError(
                f"{other} and {label} are the same on {case.instance.name}: take one of them out"
            )


def is_pattern(text: str) -> bool:
    """Whether ``text`` has one of the signs ``*``, ``?`` and ``[``."""
    return any(sign in text for sign in "*?[")


def matching(folder: Path, pattern: str) -> list[Path]:
    """Return the files that fit ``pattern``, in the order of their names; it begins at ``folder``.

    A part ``**`` stands for any number of folders, and in the last place for all that is in them.
    InstanceError if there is no such file, or too much must be looked at to find out.
    """
    place = Path(pattern)
    top, parts = folder, place.parts
    if place.is_absolute():
        top, parts = Path(place.anchor), place.parts[1:]
    try:
        found = _files(top, parts)
    except _TooManyError as error:
        raise InstanceError(
            f"{pattern}: this pattern goes through more than {MOST_LOOKED_AT:,} files and folders: "
            "let it begin at a folder with fewer"
        ) from error
    if not found:
        where = "" if place.is_absolute() else f" in {folder.absolute()}"
        raise InstanceError(f"{pattern}: no file{where} fits this pattern")
    return sorted(found)


class _TooManyError(Exception):
    """More than ``MOST_LOOKED_AT`` files and folders would be looked at."""


class _Folders:
    """What is in folders: name by name, and whether it is a folder itself."""

    def __init__(self) -> None:
        self._known: dict[Path, dict[str, bool]] = {}
        self._left = MOST_LOOKED_AT

    def names_in(self, path: Path) -> dict[str, bool]:
        """Return the names in ``path``: none if it is no folder, or may not be read."""
        if path not in self._known:
            found = self._known[path] = {}
            with suppress(OSError, ValueError), os.scandir(path) as entries:
                for entry in entries:
                    self._left -= 1
                    if self._left < 0:
                        raise _TooManyError
                    found[entry.name] = _is_folder(entry)
        return self._known[path]


def _files(top: Path, parts: Sequence[str]) -> set[Path]:
    """Return the files below ``top`` that fit ``parts``."""
    found: set[Path] = set()
    folders = _Folders()
    waiting, known = [(top, 0)], set[tuple[Path, int]]()
    while waiting:
        path, place = at = waiting.pop()
        if at in known:  # with several parts ** there are several ways to it
            continue
        known.add(at)
        if place == len(parts):
            if _is_file(path):
                found.add(path)
            continue
        part, next_ = parts[place], place + 1
        if part == "**":
            waiting.append((path, next_))
            for name, is_folder in folders.names_in(path).items():
                if is_folder or next_ == len(parts):
                    waiting.append((path / name, place if is_folder else next_))
        elif is_pattern(part):
            names = (name for name in folders.names_in(path) if fnmatch(name, part))
            waiting.extend((path / name, next_) for name in names)
        else:
            waiting.append((path / part, next_))
    return found


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # its folder may not be read, or no name is so long
        return False


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether ``entry`` is a folder; a link to one is none, or there could be no end."""
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
