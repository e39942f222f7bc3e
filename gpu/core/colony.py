"""The contract every colony keeps, on every device and for every problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gpu.core.snapshot import Snapshot, Wanted


def never() -> bool:
    """Return False: the ``stop`` of whoever waits for the end."""
    return False


class Colony(Protocol):
    """A colony at work on one instance. It knows nothing of threads, signals or windows.

    Colonies are made by :func:`gpu.catalog.build` and used from one thread at a time. Every method
    raises DeviceError if the device failed; the colony can then only be closed.
    """

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        """Run ``count`` iterations.

        On a GPU the call may return while the last batch still runs, never with more than two
        batches in flight; :meth:`snapshot` waits for all of them.

        In an iteration that takes longer and can be left, ``stop`` is asked every 20 to 100 ms.
        Once it says True the call returns in the middle of an iteration, and the next call goes on
        with it. Until that one is whole, :meth:`snapshot` has the numbers and tours of the
        iteration before it, and trails and counts of updates as they stand.
        """

    def timed_iteration(self) -> Mapping[str, float]:
        """Run one iteration to its end; return the milliseconds that each of its phases took.

        An iteration that was left in the middle is finished; its times are those of the whole.
        """

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Finish what is in flight and return the state, with the parts named in ``wanted``.

        The state's ``history`` has the last ``HISTORY_KEPT`` iterations, or all if there are fewer,
        so that a run that looks often enough misses none; see :mod:`gpu.core.history`.
        """

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """Finish what is in flight and return a copy of all trails that lead from ``city``.

        They are in units of the initial trail, shape (n,); those that a selective memory does not
        hold read 1. The city's own entry means nothing.
        """

    def close(self) -> None:
        """Free the device's memory; more calls to ``close`` do nothing."""


@runtime_checkable
class Gauged(Protocol):
    """A colony that knows more of an iteration than its times."""

    def gauges(self) -> Mapping[str, int]:
        """What can be told of an iteration before it is made; empty if that is nothing.

        ``construction_warps`` and ``most_warps`` are the warps of the kernel that builds tours that
        a multiprocessor holds at the same time, by the driver, and those that it could hold.
        ``choice_bytes`` and ``choice_operations`` are what the phase "choice info" reads and writes
        in global memory, and the numbers that it computes, a power as one. ``tabu_bytes`` are those
        of the tabu of one ant, wherever it is kept.
        """


@runtime_checkable
class Foreseeing(Protocol):
    """A colony that knows within an iteration how long it will take."""

    def expected_seconds(self) -> float:
        """Seconds that the present iteration takes at least, by what was measured of it so far.

        It is an estimate of the phase under way; phases to come count nothing.
        """
