"""Which colony serves which aim: what the window and the command ``solve`` choose by themselves.

The rows of :data:`AIM_ROWS` for the best solution were measured: docs/defaults.md has all of it.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpu import catalog
from gpu.core.arguments import described
from gpu.core.errors import ParameterError
from gpu.core.instance import Instance
from gpu.core.machine import devices
from gpu.core.machine.devices import Device
from gpu.core.problem import Problem
from gpu.core.system import Place, System, place_of
from gpu.crossing.parameters import CUDA_MOST_CROSSED, MOST_CROSSED
from gpu.focused.parameters import MOST_DIRECTED

MEASURED_ON = {"cuda": "an H100", "cpu": "4 cores", "cpu:1": "4 cores"}
"""Where the rows for each kind of device were measured; one core is taken to be like several."""

CORES_DIRECTED = 100
"""Cities of a directed instance up to which cores are as fast as a GPU, and never worse."""

MATRIX_SHARE = 0.5
"""Share of a device's memory that an n × n matrix may take."""


class Aim(enum.StrEnum):
    """What a user wants who names no colony."""

    BEST = "best"
    PAPER = "paper"
    WATCH = "watch"

    @classmethod
    def named(cls, name: str) -> Aim:
        """Return the aim of this name, or raise ParameterError."""
        if name not in list(cls):
            raise ParameterError(f"there is no aim {described(name)}: choose {', '.join(cls)}")
        return cls(name)


@dataclass(frozen=True, slots=True)
class AimRow:
    """What an aim chooses for some of the instances of a problem, on one kind of device."""

    aim: Aim
    problem: Problem
    place: Place | None  # the kind of device; None: any
    most: float  # the largest number of cities or vertices
    colony: str  # a name, or a short name, of the catalog
    parameters: Mapping[str, object] = field(default_factory=dict)  # where they differ from it
    searches: bool = False  # whether a local search that fits the instance improves every tour
    matrix: bool = False  # whether it keeps an n × n matrix of trails or distances, 4 bytes each
    directed: bool = False  # whether it is for directed ones alone
    why: str = ""  # what it is good for, in a clause

    def serves(self, aim: Aim, instance: Instance, device: Device) -> bool:
        """Whether this row is for these, if its colony takes such instances."""
        n = instance.n
        fits = 4 * n * n <= MATRIX_SHARE * device.memory
        return (
            (self.aim, self.problem) == (aim, instance.problem)
            and self.place in (None, place_of(device))
            and instance.real_n <= self.most
            and (fits or not self.matrix)
            and not (self.directed and not instance.facts.get("directed"))
        )

    def takes(self, instance: Instance, device: Device) -> bool:
        """Whether its colony on ``device`` takes ``instance``."""
        try:
            catalog.find(self.colony, device).takes(instance)
        except ParameterError:
            return False
        return True

    def can_start(self, device: Device) -> bool:
        """Whether its colony can begin with a given solution on ``device``."""
        return place_of(device) in catalog.find(self.colony, device).starters


@dataclass(frozen=True, slots=True)
class AimChoice:
    """What an aim has chosen."""

    system: System
    parameters: Mapping[str, object]  # those that may differ from the paper's
    why: str  # in a clause


SECONDS = ((20, 3.0), (50, 10.0), (200, 30.0), (math.inf, 60.0))
"""Most cities or vertices, and seconds after which a run ends if nobody says else."""


def seconds_for(instance: Instance) -> float:
    """Return after how many seconds a run ends if nobody says else: a small one is solved soon."""
    return next(seconds for most, seconds in SECONDS if instance.n <= most)


def device_for(aim: Aim, instance: Instance, found: Sequence[Device]) -> Device:
    """Return the first of the devices ``found`` whose best colony takes ``instance``.

    Kernels cannot add up very long distances, and cores can. Small directed instances are for
    cores. Where no best colony takes it, it is the first of which another one does.
    """
    if aim is Aim.BEST and _few_directed(instance):
        found = sorted(found, key=lambda device: device.kind == "cuda")
    for device in found:
        if any(row.directed for row in _rows(aim, instance, device)):
            return device
    able = [device for device in found if not _better_elsewhere(aim, instance, device)]
    taking = [device for device in found if _rows(aim, instance, device)]
    return (able or taking or list(found))[0]


def _rows(aim: Aim, instance: Instance, device: Device) -> list[AimRow]:
    rows = (row for row in AIM_ROWS if row.serves(aim, instance, device))
    return [row for row in rows if row.takes(instance, device)]


def _few_directed(instance: Instance) -> bool:
    """Whether it is a directed instance that is better solved on cores."""
    return bool(instance.facts.get("directed")) and instance.real_n <= CORES_DIRECTED


def _better_elsewhere(aim: Aim, instance: Instance, device: Device) -> bool:
    """Whether the colony that is best for such sizes on ``device`` does not take ``instance``."""
    first = next(row for row in AIM_ROWS if row.serves(aim, instance, device))
    return not first.takes(instance, device)


def choice(aim: Aim, instance: Instance, device: Device, *, starts: bool = False) -> AimChoice:
    """Choose a colony and its parameters for ``instance`` on ``device``.

    If the run ``starts`` with a given solution, it is a colony that can begin with one, unless the
    aim has none. If no colony takes ``instance``, it is the first that says why.
    """
    rows = _rows(aim, instance, device)
    able = [row for row in rows if starts and row.can_start(device)]
    refusing = (row for row in AIM_ROWS if row.serves(aim, instance, device))
    return _made(next(iter((*able, *rows, *refusing))), instance, device)


def tuned(system: System, instance: Instance, device: Device) -> Mapping[str, object]:
    """Return what is known to suit ``system`` for such an instance, beyond its defaults.

    That is what the aim "best" gives its family for the nearest size. Nothing where nothing was
    measured, or where its defaults are the best known.
    """
    family, place, n = catalog.family_of(system), place_of(device), instance.real_n
    directed = bool(instance.facts.get("directed"))
    rows = [
        row
        for row in AIM_ROWS
        if (row.aim, row.problem, row.place) == (Aim.BEST, instance.problem, place)
        and catalog.family_of(catalog.find(row.colony, device)) == family
        and row.directed <= directed
    ]
    values: Mapping[str, object] = _BY_NAME.get((family.name, place), {})
    if rows:
        row = next((row for row in rows if n <= row.most), rows[-1])
        values = _values(row, instance)
    elif values:
        values = {**values, "local_search": _local_search(instance)}
    known = system.parameters.explanations()
    return {name: value for name, value in values.items() if name in known}


def choice_to_improve(instance: Instance, device: Device) -> tuple[Device, AimChoice]:
    """Choose what improves a given solution of ``instance``: on ``device``, or else on all cores.

    ParameterError if no colony can.
    """
    for place in (device, devices.find("cpu")):
        for row in _rows(Aim.BEST, instance, place):
            if row.can_start(place):
                return place, _made(row, instance, place)
    raise ParameterError(
        f"no colony can begin with a given {instance.problem.words.solution} of {instance.name}"
    )


def _local_search(instance: Instance) -> str:
    return "oropt" if instance.facts.get("directed") else "2opt+oropt"


def _values(row: AimRow, instance: Instance) -> dict[str, object]:
    """Return the parameters of ``row`` for ``instance``, with the local search that fits it."""
    search = {"local_search": _local_search(instance)} if row.searches else {}
    return {**row.parameters, **search}


def _made(row: AimRow, instance: Instance, device: Device) -> AimChoice:
    """Return what ``row`` chooses."""
    directed = bool(instance.facts.get("directed"))
    kind = "symmetric instances" if directed else "instances"
    size = "of any size" if row.most == math.inf else f"of up to {row.most:,} cities"
    why = (
        row.why
        or f"it was the best colony in runs on {MEASURED_ON[place_of(device)]} with {kind} {size}"
    )
    if row.aim is Aim.BEST and _few_directed(instance) and device.kind == "cuda":
        why += "; the device cpu has a better one for so few directed cities"
    elif (
        not directed
        and device.kind == "cuda"
        and row.takes(instance, device)
        and _better_elsewhere(row.aim, instance, device)
    ):
        why += "; the device cpu has a better one for such long distances"
    return AimChoice(catalog.find(row.colony, device), _values(row, instance), why)


_MMAS_SCHEDULE = {"deposit": "schedule", "restart": 250}
_GPU_MMAS = {"ants": 800, "rho": 0.3, **_MMAS_SCHEDULE}
_CPU_MMAS = {"ants": 32, "rho": 0.5, "candidates": 32, **_MMAS_SCHEDULE}
_FEW_ANTS = {"ants": 32, "candidates": 32}
# Of families that are the best nowhere: docs/defaults.md, "Colonies chosen by name".
_BY_NAME = {("as", "cpu"): _FEW_ANTS, ("as", "cpu:1"): _FEW_ANTS}
_PAPER_DEFAULTS = "it has the defaults of its paper"
_NO_MATRIX = "a matrix of all trails would take too much memory or time"
_SHORTEST_TOURS = "of all colonies, this one found the shortest tours of most instances in runs "
_CROSSED_COLORINGS = "its ants cross colorings, and tabu searches repair them"
_DIRECTED_ON_CORES = "in runs on 2 cores it found the optimum of all six directed instances"
_DIRECTED_ON_GPU = "in runs on one H200 it found shorter directed tours than 2 cores"
_FOLLOW = "it has few ants and no local search, so that it is easy to follow"
_MANY = 10_000  # cities, from which on a matrix of trails is no picture to follow


def _best(place: Place, most: float, colony: str, values: Mapping[str, object]) -> AimRow:
    return AimRow(Aim.BEST, Problem.TSP, place, most, colony, values, searches=True, matrix=True)


def _largest(place: Place, colony: str, ants: int) -> AimRow:
    values = {"ants": ants}
    return AimRow(Aim.BEST, Problem.TSP, place, math.inf, colony, values, True, why=_NO_MATRIX)


def _focused(place: Place, colony: str) -> AimRow:
    why = _SHORTEST_TOURS + ("on one H100" if place == "cuda" else "on 2 cores")
    return AimRow(Aim.BEST, Problem.TSP, place, math.inf, colony, why=why)


def _crossing(place: Place, colony: str) -> AimRow:
    on_gpu = place == "cuda"
    why = _SHORTEST_TOURS + ("of 2 to 20 s on one H100" if on_gpu else "of 20 to 40 s on one core")
    most = CUDA_MOST_CROSSED if on_gpu else MOST_CROSSED
    return AimRow(Aim.BEST, Problem.TSP, place, most, colony, why=why)


def _directed(place: Place, colony: str) -> AimRow:
    why = _DIRECTED_ON_GPU if place == "cuda" else _DIRECTED_ON_CORES
    return AimRow(
        Aim.BEST,
        Problem.TSP,
        place,
        MOST_DIRECTED,
        colony,
        matrix=place == "cuda",  # of distances; on cores it is the instance's own
        directed=True,
        why=why,
    )


def _watch(most: float, ants: int) -> AimRow:
    values = {"ants": ants}
    return AimRow(Aim.WATCH, Problem.TSP, None, most, "acs", values, matrix=True, why=_FOLLOW)


def _colors(place: Place, colony: str) -> AimRow:
    return AimRow(Aim.BEST, Problem.COLORING, place, math.inf, colony, why=_CROSSED_COLORINGS)


AIM_ROWS = (
    _directed("cuda", "focused-gpu"),
    _best("cuda", 200, "mmas-rwm-bt-cl", _GPU_MMAS),
    _crossing("cuda", "crossing-gpu"),
    _focused("cuda", "focused-gpu"),
    _best("cuda", 3_000, "mmas-rwm-bt-cl", _GPU_MMAS),
    _best("cuda", 7_000, "acs-gpu-alt", {"ants": 1024}),
    _best("cuda", math.inf, "acs-gpu-alt", {"ants": 256}),
    _largest("cuda", "acs-gpu-spm", 256),
    _directed("cpu", "focused-cores"),
    _best("cpu", 200, "mmas-cores", _CPU_MMAS),
    _crossing("cpu", "crossing-cores"),
    _focused("cpu", "focused-cores"),
    _best("cpu", 30_000, "acs-gpu", {"ants": 8}),
    _largest("cpu", "acs-cores-spm", 16),
    _directed("cpu:1", "focused-seq"),
    _best("cpu:1", 200, "mmas-seq", _CPU_MMAS),
    _crossing("cpu:1", "crossing-seq"),
    _focused("cpu:1", "focused-seq"),
    _best("cpu:1", 30_000, "acs-seq", {"ants": 8}),
    _largest("cpu:1", "acs-seq-spm", 16),
    _colors("cuda", "gpx-gpu"),
    _colors("cpu", "gpx-cores"),
    _colors("cpu:1", "gpx-seq"),
    AimRow(Aim.PAPER, Problem.TSP, None, math.inf, "acs", why=_PAPER_DEFAULTS),
    AimRow(Aim.PAPER, Problem.COLORING, None, math.inf, "coloring", why=_PAPER_DEFAULTS),
    # Where ants find a better tour than the first one soon: docs/tried.md, "Ants to watch".
    _watch(50, 10),
    _watch(_MANY, 20),
    AimRow(Aim.WATCH, Problem.TSP, None, math.inf, "acs-spm", {"ants": 10}, why=_FOLLOW),
    AimRow(Aim.WATCH, Problem.COLORING, None, math.inf, "coloring", {"ants": 5}, why=_FOLLOW),
)
"""The first row that serves decides; with a solution to begin with, the first that can."""
