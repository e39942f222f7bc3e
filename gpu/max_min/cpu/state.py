"""What the MAX-MIN Ant System on the CPU keeps beside matrices and tours."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.construction.cpu.state import Construction

LEAST, MOST = range(2)
"""Places of τ_min and τ_max in the limits."""

BEGUN, RESTARTING = range(2)
"""The iteration after which trails were last restarted; whether they are in this one."""


class MmasRules(NamedTuple):
    """The parameters of the update, in the form in which compiled code uses them."""

    keep: np.float32  # 1 - ρ
    gain: float  # ρ·L_nn: a trail of a tour of length L gains gain/L when the tour deposits
    nearest: float  # L_nn, at least 1
    spread: float  # τ_min/τ_max, at most 1
    deposit: int  # which tour deposits; one of the constants of gpu.max_min.limits
    patience: int  # iterations without improvement before trails may be restarted; 0 for never


class TrailUpdate(NamedTuple):
    """How the trails are renewed in this iteration."""

    limits: NDArray[np.float32]  # (2,): τ_min and τ_max, in units of the initial trail
    amount: NDArray[np.float32]  # (1,): what each trail of the tour that deposits gains
    numbers: NDArray[np.int64]  # (2,): see the constants above
    # (n, sides): the city that follows each city on that tour and, in a symmetric instance, the
    # one before
    ends: NDArray[np.uint32]


class MmasState(NamedTuple):
    """What the MAX-MIN Ant System works on."""

    construction: Construction
    # (n, k): the cities whose trails are looked at to tell whether they have settled
    near: NDArray[np.int32]
    rules: MmasRules
    update: TrailUpdate
