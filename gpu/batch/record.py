"""What a worker gives back of a run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.batch.results import FAILED
from gpu.core.arrays import frozen
from gpu.core.cost_curve import CostCurve


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
