"""What the MAX-MIN Ant System on the CPU keeps beside matrices and tours."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LEAST, MOST = range(2)
"""Places of τ_min and τ_max in the limits."""

BEGUN, RESTARTING = range(2)
"""The iteration after which trails were last restarted; whether they are in this one."""


class MmasRules(NamedTuple):
    """The parameters of the update, in the form in which compiled code uses them.

    Attributes
    ----------
    keep : float32
        1 - ρ.
    gain : float
        ρ·L_nn: divided by the length of the tour that deposits, what each of its trails gains.
    nearest : float
        L_nn, at least 1.
    spread : float
        τ_min/τ_max, at most 1.
    deposit : int
        Which tour deposits; one of the constants of :mod:`gpu.max_min.limits`.
    patience : int
        Iterations without improvement before trails may be restarted; 0 for never.
    """

    keep: np.float32
    gain: float
    nearest: float
    spread: float
    deposit: int
    patience: int


class TrailUpdate(NamedTuple):
    """How the trails are renewed in this iteration.

    Attributes
    ----------
    limits : ndarray of float32, shape (2,)
        τ_min and τ_max, in units of the initial trail.
    amount : ndarray of float32, shape (1,)
        What each trail of the tour that deposits gains.
    numbers : ndarray of int64, shape (2,)
        See the constants above.
    ends : ndarray of uint32, shape (n, sides)
        The city that follows each city on that tour and, in a symmetric instance, the one before.
    """

    limits: NDArray[np.float32]
    amount: NDArray[np.float32]
    numbers: NDArray[np.int64]
    ends: NDArray[np.uint32]


def update_of(n: int, sides: int) -> TrailUpdate:
    """Nothing deposited yet."""
    return TrailUpdate(
        limits=np.ones(2, np.float32),
        amount=np.zeros(1, np.float32),
        numbers=np.zeros(2, np.int64),
        ends=np.zeros((n, sides), np.uint32),
    )
