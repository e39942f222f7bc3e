"""A case is one run of many: what decides it, how it ended, and what is kept of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.cost_curve import CostCurve
from gpu.core.cost_unit import NO_UNIT, CostUnit, Decimals
from gpu.core.instance import Solution
from gpu.core.records import Real
from gpu.core.system import Place
from gpu.run.session import InstanceReference, StartReference
from gpu.run.stopping import StopSettings
from gpu.studies.design import Value, limits_of

WAITING, RUNNING, DONE, FAILED = STATES = ("waiting", "running", "done", "failed")
"""The states of a case. One that its study was killed in is waiting again."""


@dataclass(frozen=True, slots=True)
class CaseInstance:
    """An instance of a study. The plan keeps no more of it: a worker loads it."""

    reference: InstanceReference
    n: int  # cities (vertices)
    problem: str
    optimum: int | None  # best known cost, where there is one
    cost_unit: CostUnit = NO_UNIT  # in what its costs are shown

    @property
    def name(self) -> str:
        """The instance's name."""
        return self.reference.name


@dataclass(frozen=True, slots=True)
class Configuration:
    """A colony with its parameters on a kind of device."""

    label: str
    colony: str  # the system's name
    aim: str  # what chose it; empty where the design names it
    device: Place
    # those that differ from the system's defaults
    parameters: Mapping[str, Value | None]
    # all parameters; None: automatic, by the size of the instance
    values: Mapping[str, Value | None]

    def agrees_with(self, values: Mapping[str, Any]) -> bool:
        """Whether these are its ``values``, too; a version with other defaults planned others."""
        return all(values.get(name, value) == value for name, value in self.values.items())


@dataclass(frozen=True, slots=True)
class Case:
    """One run, with all that decides it. A worker needs nothing else but the instance's file."""

    instance: CaseInstance
    configuration: Configuration
    seed: int
    budget: StopSettings
    start: StartReference | None = None  # the solution to begin with, if the design names one
    measure: str = ""  # MEASURE_PHASES, where the phases of iterations are timed
    alone: bool = False  # whether nothing may run beside it

    @property
    def device(self) -> Place:
        """The kind of device that it runs on."""
        return self.configuration.device

    @property
    def needs(self) -> Place:
        """What of a machine it has for itself: a GPU, a core, or all cores where it is alone."""
        return "cpu" if self.alone else self.device

    @property
    def key(self) -> str:
        """Digest of all that decides the case.

        The label is none of it. Neither are defaults, so that a later version of the program, with
        one parameter more, goes on with a study. The device is named by its kind: which one of
        several does the case is all the same.
        """
        one = self.configuration
        decides = (
            1,  # version of this list
            self.instance.reference.sha256,
            one.aim,
            one.colony,
            sorted(one.parameters.items()),
            one.device,
            self.seed,
            sorted(limits_of(self.budget).items()),
            self.start and self.start.sha256,
            *((self.measure,) if self.measure else ()),
            *(("alone",) if self.alone else ()),
            *(({"read_as": read_as},) if (read_as := self.instance.reference.read_as) else ()),
        )
        return hashlib.sha256(json.dumps(decides).encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CaseEnd:
    """What came of a case. What is not known before its end is None, 0 or empty until then."""

    state: str  # one of STATES
    best: int | None = None  # cost of the best solution; None if the case failed
    gap_percent: float | None = None  # how far that lies above the optimum
    seconds: Real = 0.0  # of solving, without the time to build the colony
    iterations: int = 0  # completed
    solutions: int = 0  # built in them
    curve: CostCurve | None = None  # the improvements; None where the case is not done
    # where it ran: version, commit, device, model, cores, memory, detail, driver, system, machine,
    # and the versions of packages; empty if it has not run
    host: Mapping[str, Any] = field(default_factory=dict)
    # mean milliseconds of each phase of its iterations; empty unless the study measures them
    phases: Mapping[str, Real] = field(default_factory=dict)
    # what the colony counted: local_hits, local_total, global_hits and global_total of a selective
    # memory; ants, won and merged of a focused colony
    counts: Mapping[str, int] = field(default_factory=dict)

    def hit_rate(self, kind: str) -> float | None:
        """Which share of the ``local`` or ``global`` updates hit; None if nothing was counted."""
        total = self.counts.get(f"{kind}_total", 0)
        return self.counts[f"{kind}_hits"] / total if total else None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CaseRecord(CaseEnd):
    """How a case ended, as a worker says it. A failed one has no solution and no curve."""

    key: str  # the case's
    reason: str  # why it ended, in a sentence; for a failed case, why it failed
    started: str = ""  # when, in ISO 8601, UTC
    parameters: Mapping[str, Any] = field(default_factory=dict)  # all, none of them automatic
    best_iteration: int | None = None  # which found it, from 1; 0 for what the run began with
    solution: Solution | None = None  # as the run's result has it


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CaseRow(CaseEnd):
    """A case as reports and plots read it."""

    instance: str  # the instance's name
    n: int  # cities (vertices)
    optimum: int | None  # best known cost, where there is one
    label: str  # the configuration's name in the design, with its values where they are swept
    colony: str  # the system's name
    parameters: Mapping[str, Any]  # all of them; None: automatic, by the size of the instance
    device: str  # the kind of device: cuda, cpu or cpu:1
    seed: int
    batch: int  # 1 for the runs that were planned first, 2, 3 ... for those that were added later
    error: str  # why it failed, in a sentence
    unit: str = ""  # in which costs of this instance are shown
    decimals: Decimals = 0  # of that unit that a cost counts
    key: str = ""  # the case's, in its study's file

    @property
    def cost_unit(self) -> CostUnit:
        """In what costs of its instance are shown."""
        return CostUnit(self.unit, self.decimals)


@dataclass(frozen=True, slots=True, eq=False)
class StudyResults:
    """A study with all of its cases, finished or not."""

    title: str
    created: str  # when it was begun, in ISO 8601, UTC
    planned: int  # number of cases, which was fixed before they began
    budget: Mapping[str, Any]  # of each case: the limits by name, such as seconds or iterations
    rows: tuple[CaseRow, ...]  # in the order of the plan
    hosts: tuple[Mapping[str, Any], ...]  # each device of each machine, as cases name them


def failed(key: str, sentence: str) -> CaseRecord:
    """Return the record of a case of which nothing is known but why it failed."""
    return CaseRecord(key=key, state=FAILED, reason=sentence)


def numbered(hosts: Iterable[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """Return the ``hosts`` with numbers from 1 in the place of their machines' names."""
    numbers: dict[str, int] = {}
    return tuple(
        {**host, "machine": numbers.setdefault(str(host["machine"]), len(numbers) + 1)}
        if "machine" in host
        else host
        for host in hosts
    )


def bytes_of(solution: NDArray[np.int32]) -> bytes:
    """Return a solution as it is kept and digested: 32-bit numbers, the lowest byte first."""
    return solution.astype("<i4").tobytes()


def solution_of(data: bytes) -> NDArray[np.int32]:
    """Return the solution that :func:`bytes_of` made ``data`` from; ValueError if it is none."""
    return frozen(np.frombuffer(data, "<i4").astype(np.int32))


def digest_of(solution: NDArray[np.int32]) -> str:
    """Return the SHA-256 of :func:`bytes_of`, hexadecimal."""
    return hashlib.sha256(bytes_of(solution)).hexdigest()
