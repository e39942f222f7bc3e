"""Slow work of a window that opens, or that opens a file; it is done in another thread."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from app.files.importing import Reading, asks, read_so
from app.files.library import files_of, find_again, kept_files, with_kept
from gpu import catalog
from gpu.aims import Aim, choice
from gpu.core.errors import InstanceError
from gpu.core.files import exists
from gpu.core.instance import Instance, Solution
from gpu.core.machine.compiling import COMPILING
from gpu.core.machine.devices import Device
from gpu.core.snapshot import Wanted
from gpu.core.system import System
from gpu.problems.bundled import bundled
from gpu.problems.document import in_utf8, read_bytes
from gpu.problems.input_file import InputFile
from gpu.problems.loading import load_instance, recognise
from gpu.problems.reading import FileKind, ReadAs
from gpu.problems.tsp.tours import TourFile, is_tour, read_tour
from gpu.races.race_file import RecordedRace, is_race, read_race
from gpu.races.race_standings import LaneRecord
from gpu.run import starting
from gpu.run.bounding import bound_of
from gpu.run.log.recorded import Recorded, recorded_of
from gpu.run.log.run_log import read_log


class OpenedRace(NamedTuple):
    """A race from a file, and what its lanes have found."""

    recorded: RecordedRace
    records: Sequence[LaneRecord]  # with their solutions


@dataclass(frozen=True, slots=True, eq=False)
class GivenTour:
    """A tour from a file, of the instance in sight."""

    path: Path  # the file
    tour: Solution
    length: int


class OpenedFile(NamedTuple):
    """What was in a file: an instance, and what it came with."""

    instance: Instance
    recorded: Recorded | None = None  # the recorded run
    race: OpenedRace | None = None
    tour: GivenTour | None = None


USUAL_INSTANCE = "map-1000"
"""The bundled instance that a first run is expected on."""


def usual_instance() -> Instance:
    """Return the bundled instance that a first run is expected on."""
    return load_instance(next(one.path for one in bundled() if one.name == USUAL_INSTANCE))


def warm_up(device: Device, name: str = "") -> None:
    """Use a colony once: then the user's first run need not wait for imports and compilers.

    It gives way to a run that begins, in :data:`gpu.core.machine.compiling.COMPILING`. Without the
    ``name`` of a colony, it is the one that is chosen for the usual instance.
    """
    if name:
        system = catalog.find(name, device)
    else:
        system = choice(Aim.BEST, usual_instance(), device).system
    with COMPILING.ahead():
        use_once(system, device)


def use_once(system: System, device: Device, values: Mapping[str, object] | None = None) -> None:
    """Let a colony make one iteration on the smallest instance, and look at a decision of it.

    Its parameters have these ``values``, or else the defaults.
    """
    fitting = (one for one in bundled() if one.problem is system.problem)
    instance = load_instance(min(fitting, key=lambda one: one.n).path)
    parameters = system.parameters(**(values or {}))
    starting.use_once(instance)  # what a run shows first, while the rest is compiled
    bound_of(instance)
    with closing(catalog.build(system, instance, parameters, device, seed=1)) as colony:
        colony.iterate(1)
        colony.snapshot(Wanted.EVERYTHING)
        if system.rule:
            rule = catalog.rule_of(system, instance, parameters, seed=1)
            rule.replay(colony, iteration=1).decision(ant=0, step=1)


def load_any(
    path: Path,
    shown: Instance | None = None,
    read_as: str = "",
    *,
    last: str = "",
    ask: bool = False,
) -> OpenedFile | Reading:
    """Load an instance; or a recorded session or race, or a tour, with its instance.

    The tour may be one of the instance that is ``shown``. ``read_as`` is that of
    :func:`load_instance`; ``last`` is the same, as the user had this instance read earlier. A file
    that does not say all itself is returned as it would be read, for the user to look at it, unless
    he has said it; with ``ask``, so is any other.
    """
    if path.suffix == ".json" and is_race(path):
        race = read_race(path)
        instance = find_again(race.race.instance, path)
        return OpenedFile(instance, race=OpenedRace(race, race.with_solutions(instance)))
    if path.suffix in (".json", ".jsonl") and not _is_instance(path):
        log = read_log(path)
        instance = find_again(log.session.instance, path)
        recorded = recorded_of(log, instance)
        return OpenedFile(recorded.instance, recorded)
    data = read_bytes(path)
    if shown is not None and not read_as and shown.is_solution(path, data):
        solution = shown.load_solution(path, data)
        return OpenedFile(shown, tour=GivenTour(path, solution, shown.cost_of(solution)))
    read_as = read_as or last
    if not is_tour(path, data):
        reading = read_so(path, data, ReadAs.parse(read_as))
        unsure = reading.doubt is not None or (not read_as and asks(reading))
        if unsure or ask or reading.instance is None:
            return reading
        return OpenedFile(reading.instance)
    tour = read_tour(path, data)
    cities = _instance_of(tour, path, shown)
    found = cities.load_solution(path, data)
    return OpenedFile(cities, tour=GivenTour(path, found, cities.cost_of(found)))


_LOG_BEGINS = re.compile(rb'\s*\{\s*"kind"')  # what the lines of a log begin with


def _is_instance(path: Path) -> bool:
    """Whether the JSON file at ``path`` has places, distances or a graph in it, and is no log."""
    try:
        data = read_bytes(path)
        if _LOG_BEGINS.match(data):
            return False
        return recognise(InputFile(path, in_utf8(path, data))).kinds != (FileKind.TSPLIB,)
    except InstanceError:
        return False


def _instance_of(tour: TourFile, path: Path, shown: Instance | None) -> Instance:
    """Find the instance of ``tour`` by its name, on the screen or beside it, else by its size."""
    if shown is not None and shown.problem is not tour.problem:
        shown = None
    if shown is not None and shown.name in tour.names:
        return shown
    for name in tour.names:
        beside = [path.with_name(file) for file in files_of(name)]
        for file in filter(exists, [*beside, *kept_files(name)]):
            if (instance := load_instance(file)).problem is tour.problem:
                return with_kept(instance)
    if shown is not None and shown.n == tour.n:
        return shown
    raise InstanceError(
        f"{path}: it is a tour of {tour.n} cities, of which instance is not known: open that first"
    )
