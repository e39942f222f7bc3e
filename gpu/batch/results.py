"""What a study's file holds, as reports and plots read it: frozen values and read-only arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.cost_curve import CostCurve

WAITING, RUNNING, DONE, FAILED = STATES = ("waiting", "running", "done", "failed")
"""The states of a run. A run that its study was killed in is waiting again."""


@dataclass(frozen=True, slots=True, eq=False)
class RunRow:
    """One run of a study. What is not known before its end is None, 0 or empty until then."""

    instance: str  # the instance's name
    n: int  # cities (vertices)
    optimum: int | None  # best known cost, where there is one
    label: str  # the configuration's name in the design, with its values where they are swept
    colony: str  # the system's name
    parameters: dict[str, Any]  # all of them; None: automatic, by the size of the instance
    device: str  # the kind of device: cuda, cpu or cpu:1
    seed: int
    batch: int  # 1 for the runs that were planned first, 2, 3 ... for those that were added later
    state: str  # one of STATES
    error: str  # why it failed, in a sentence
    best: int | None  # cost of the best solution
    gap_percent: float | None  # how far that lies above the optimum
    seconds: float  # seconds of solving, without the time to build the colony
    iterations: int  # iterations completed
    solutions: int  # solutions built in them
    curve: CostCurve | None  # the improvements; None where the run is not done
    host: Mapping[str, Any]  # where it ran: one of the study's hosts; empty if it has not run
    # mean milliseconds of each phase of its iterations; empty unless the study measures them
    phases: Mapping[str, float] = field(default_factory=dict)
    # what the colony counted: local_hits, local_total, global_hits and global_total of a selective
    # memory; ants, won and merged of a focused colony
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class StudyResults:
    """A study with all of its runs, finished or not."""

    title: str
    created: str  # when it was begun, in ISO 8601, UTC
    planned: int  # number of runs, which was fixed before they began
    budget: Mapping[str, Any]  # of each run: the limits by name, such as seconds or iterations
    rows: tuple[RunRow, ...]  # in the order of the plan
    # each device of each machine that runs took place on: version, commit, device, model, cores,
    # memory, detail, driver, system, machine, versions (a mapping)
    hosts: tuple[Mapping[str, Any], ...]


def numbered(hosts: Iterable[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """Return the ``hosts`` with numbers from 1 in the place of their machines' names."""
    numbers: dict[str, int] = {}
    return tuple(
        {**host, "machine": numbers.setdefault(str(host["machine"]), len(numbers) + 1)}
        if "machine" in host
        else host
        for host in hosts
    )


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """How one run of a study ended. A failed one has no solution and no curve."""

    key: str  # the planned run's
    state: str  # DONE or FAILED
    reason: str  # why it ended, in a sentence; for a failed run, why it failed
    started: str = ""  # when, in ISO 8601, UTC
    # where it ran: version, commit, device, model, cores, memory, detail, driver, system, machine,
    # and the versions of packages
    host: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)  # all, none of them automatic
    seconds: float = 0.0  # of solving, without the time to build the colony
    iterations: int = 0  # completed
    solutions: int = 0  # built in them
    best: int | None = None  # cost of the best solution; None if the run failed
    best_iteration: int | None = None  # which found it, from 1; 0 for what the run began with
    gap_percent: float | None = None
    solution: NDArray[np.int32] | None = None  # (n,), as the run's result has it
    curve: CostCurve | None = None
    phases: Mapping[str, float] = field(default_factory=dict)  # mean ms of each, where measured
    # local_hits, local_total, global_hits and global_total of a selective memory; ants, won and
    # merged of a focused colony
    counts: Mapping[str, int] = field(default_factory=dict)


def failed(key: str, sentence: str) -> Record:
    """Return the record of a run of which nothing is known but why it failed."""
    return Record(key, FAILED, sentence)


def bytes_of(solution: NDArray[np.int32]) -> bytes:
    """Return a solution as it is kept and digested: 32-bit numbers, the lowest byte first."""
    return solution.astype("<i4").tobytes()


def solution_of(data: bytes) -> NDArray[np.int32]:
    """Return the solution that :func:`bytes_of` made ``data`` from; ValueError if it is none."""
    return frozen(np.frombuffer(data, "<i4").astype(np.int32))


def digest_of(solution: NDArray[np.int32]) -> str:
    """Return the SHA-256 of :func:`bytes_of`, hexadecimal."""
    return hashlib.sha256(bytes_of(solution)).hexdigest()
