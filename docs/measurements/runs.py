"""How a colony is run and timed: what all experiments share."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from gpu import catalog
from gpu.core.colony import Colony
from gpu.core.errors import DeviceError
from gpu.core.instance import Instance
from gpu.core.snapshot import Wanted
from gpu.run.session import choose

Row = dict[str, Any]

FAST_TSP, HEAD, TOLD_HEAD, GCOL = "fast-tsp", "HEAD", "HEAD-told", "gcol"
LKH, GA_EAX = ANYTIME = ("LKH", "GA-EAX")
"""Programs that say on their way how long their best tour is."""

RIVALS = (FAST_TSP, HEAD, TOLD_HEAD, GCOL, *ANYTIME)
"""Programs that are no colonies of ours."""

PROGRAMS = {"head": (HEAD, TOLD_HEAD), "lkh": (LKH,), "ga_eax": (GA_EAX,)}
"""What each program is called on the command line, and whose runs it makes."""


class Case(NamedTuple):
    """A colony to measure."""

    labels: Row  # the first entries of its row
    system: str
    values: Mapping[str, object]  # parameters that differ from the defaults


@dataclasses.dataclass(frozen=True)
class Experiment:
    """What is measured on each instance, and how, unless the command line says otherwise."""

    measure: Callable[[Instance, Experiment], Iterator[Row]]
    names: Sequence[str]  # instances: files below the folder of all instances
    cases: Sequence[Case]
    file: str  # where the rows are kept, without .json
    minutes: float  # that it takes, about
    seeds: Sequence[int] = (1, 5)  # the first and the last
    stops: Sequence[int] = (100,)  # iterations at which a run is looked at; it ends at the last
    seconds: float = math.inf  # of each run or timing at most
    limits: Mapping[str, float] = dataclasses.field(default_factory=dict)  # seconds, by instance
    goals: Mapping[str, int] = dataclasses.field(default_factory=dict)  # costs at which runs end
    told: Mapping[str, int] = dataclasses.field(default_factory=dict)  # colors, to HEAD-told
    step: int = 1  # iterations between two looks at a run
    marks: Mapping[str, Sequence[float]] = dataclasses.field(default_factory=dict)
    device: str = "cuda"
    cores: int = 2  # that a colony without a GPU has
    anytime: float = math.inf  # seconds of the one run of an anytime program
    programs: Mapping[str, Path] = dataclasses.field(default_factory=dict)  # by PROGRAMS

    @property
    def all_seeds(self) -> range:
        """One for each run."""
        return range(self.seeds[0], self.seeds[1] + 1)

    def seeds_of(self, system: str) -> range:
        """The seeds of a system's runs: anytime programs get more time, and have one run."""
        return self.all_seeds[:1] if system in ANYTIME else self.all_seeds

    def program(self, name: str) -> Path:
        """Where a program is; DeviceError if nothing says so."""
        if name not in self.programs:
            who = PROGRAMS[name][0]
            raise DeviceError(
                f"nothing says where the program {who} is: give --{name.replace('_', '-')}"
            )
        return self.programs[name].resolve()

    def goal(self, instance: Instance) -> int:
        """The cost at which runs on this instance end; 0 if none is known."""
        return self.goals.get(instance.name, instance.optimum or 0)

    def limit(self, instance: str) -> float:
        """Seconds of each run on this instance."""
        return self.limits.get(instance, self.seconds)

    def marks_on(self, instance: str) -> Sequence[float]:
        """Seconds of each run of a rival, which shows no tour on its way."""
        return self.marks.get(instance, (self.limit(instance),))

    def device_of(self, system: str) -> str:
        """Where a system runs: a rival on cores, beside a colony on a GPU."""
        return "cpu" if system in RIVALS else self.device


def of(system: str, **values: object) -> Case:
    """Return the case whose row names the system and the parameters."""
    return Case({"system": system, **values}, system, values)


def build(instance: Instance, case: Case, seed: int = 1, device: str = "auto") -> Colony:
    """Build a colony on the best device that it runs on, or on ``device``."""
    place, system = choose(case.system, device)
    parameters = system.parameters.from_mapping(case.values)
    return catalog.build(system, instance, parameters, place, seed)


def follow(
    colony: Colony, start: float, goal: float, seconds: float, step: int = 1
) -> list[tuple[float, int, int]]:
    """Run to the goal or the time: seconds, iteration and cost of improvements, and of the end.

    The colony is looked at after every ``step`` iterations.
    """
    found: list[tuple[float, int, int]] = []
    best: float = math.inf
    while not found or (best > goal and time.perf_counter() - start < seconds):
        colony.iterate(step)
        shot = colony.snapshot(Wanted.NUMBERS)
        if shot.cost < best:
            best = shot.cost
            found.append((time.perf_counter() - start, shot.iteration, shot.cost))
    shot = colony.snapshot(Wanted.SOLUTION)  # checks it
    return [*found, (time.perf_counter() - start, shot.iteration, shot.cost)]


def warm_up(instance: Instance, case: Case, device: str = "auto") -> Mapping[str, float]:
    """Have the kernels compiled; return the milliseconds of an iteration's phases."""
    with closing(build(instance, case, 0, device)) as colony:
        colony.iterate(3)
        return colony.timed_iteration()
