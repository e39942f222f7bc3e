"""Iterations of a colony as launches: many iterations at once, or a few launches at a time.

Short iterations run from a CUDA graph. Now and then one runs outside the graph, phase by phase, to
be timed. Long iterations always run a few launches at a time, so that they can be interrupted; a
launch that takes long itself is made in parts.
"""

from __future__ import annotations

import bisect
import itertools
import math
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from gpu.cuda import kernels
from gpu.cuda.machine import DeviceMark, Launch, Machine

Phases = Mapping[str, Sequence[Launch]]
"""The launches of one iteration by phase, in order; no phase is empty."""


class Pieces:
    """A phase's launches, each as one piece or in its smallest parts.

    Launches that a sequence makes on demand have no parts: there may be millions of them.
    """

    def __init__(self, launches: Sequence[Launch]) -> None:
        self._launches = launches
        self._ends: Sequence[int] = range(1, len(launches) + 1)
        if isinstance(launches, tuple | list):
            counts = [1 if one.parts is None else len(one.parts) for one in launches]
            self._ends = [*itertools.accumulate(counts)]

    def __len__(self) -> int:
        return self._ends[-1]

    def between(self, first: int, end: int) -> list[Launch]:
        """Return the launches for the pieces from ``first`` to before ``end``."""
        found, at = [], bisect.bisect_right(self._ends, first)
        while first < end:
            launch, last = self._launches[at], self._ends[at]
            begin = last - (1 if launch.parts is None else len(launch.parts))
            upto = min(end, last)
            if launch.parts is None or (first, upto) == (begin, last):
                found.append(launch)
            else:
                found.append(launch.parts.between(first - begin, upto - begin))
            first, at = upto, at + 1
        return found


PHASE_PERIOD = 0.5  # seconds between two iterations that are timed phase by phase
LONG_ITERATION = (
    20.0  # milliseconds from which on an iteration counts as long and can be interrupted
)
BATCH = 40.0, 100.0
"""Milliseconds that a few pieces of a long iteration should take together. Between two batches the
GPU waits for the last ant of the first one: shorter ones cost up to 8 % of the speed on an H100."""

GRAPH_LAUNCHES = 4096
"""An iteration with more launches than this is a long one, and needs no graph."""

HOLD_LAUNCH = kernels.HOLD.launch("hold", 1, 1, {}, nanoseconds=100_000)
"""Keeps the GPU busy for 0.1 ms while the host launches what will be timed."""


@dataclass(frozen=True, slots=True)
class _Batch:
    """Launches in flight. They end at a mark; those of a timed phase begin at one too."""

    end: DeviceMark
    begin: DeviceMark | None = None
    phase: str = ""
    pieces: int = 0
    completes: bool = False  # the last ones of an iteration


class Iterations:
    """Runs a colony's iterations; never more than two batches of launches are in flight.

    Where a single piece takes longer than a batch should, one batch is in flight at most.

    An iteration is divisible if it can be left between two launches: until its last launch has run,
    the host must read the results of the iteration before.
    """

    def __init__(self, machine: Machine, phases: Phases, *, divisible: bool = True) -> None:
        self._machine, self.phases = machine, phases
        self._phases = tuple((name, Pieces(launches)) for name, launches in phases.items())
        self._divisible = divisible
        self._graph: Callable[[int], None] | None = None
        if sum(len(launches) for launches in phases.values()) <= GRAPH_LAUNCHES:
            self._graph = machine.repeated([one for each in phases.values() for one in each])
        self._phase = self._done = 0  # the present phase, and its pieces so far
        self._sizes = dict.fromkeys(phases, 1)  # pieces that now make a batch
        self._slow = False  # whether the last batch took longer than it should
        self._last: DeviceMark | None = None  # where the next batch begins, if nothing lies between
        self._flying: deque[_Batch] = deque()
        self._sums = dict.fromkeys(phases, 0.0)  # milliseconds, and
        self._counts = dict.fromkeys(phases, 0)  # pieces that took them
        self._timed_at = -math.inf
        self.times: Mapping[str, float] = MappingProxyType({})
        """Milliseconds by phase of the last iteration that was timed and is over."""

    def run(self, count: int, stop: Callable[[], bool]) -> None:
        """Run ``count`` iterations; see :meth:`gpu.core.colony.Colony.iterate`."""
        self._last = None
        while count > 0:
            if self._graph is not None and not self._by_launches():
                self._graph(count)
                self._flying.append(_Batch(self._machine.mark()))
                self._collect(1)
                return
            while not self._advance():
                if self._divisible and not self._short() and stop():
                    return
            count -= 1
            if not self.times:
                self._collect(0)  # to know whether the next one is long
            if count and self._long() and stop():
                return

    def timed(self) -> Mapping[str, float]:
        """Run one iteration, or the rest of one; see :meth:`Colony.timed_iteration`."""
        self._last = None
        while not self._advance():
            pass
        self.settle()
        return self.times

    def settle(self) -> None:
        """Wait for what is in flight, and read its times."""
        self._collect(0)

    def expected_seconds(self) -> float:
        """Seconds that the present iteration takes at least, by what was measured of it so far.

        The pieces of a phase are taken to be equally long; phases to come count nothing.
        """
        return 1e-3 * sum(
            self._sums[name] * len(pieces) / self._counts[name]
            for name, pieces in self._phases
            if self._counts[name]
        )

    @property
    def under_way(self) -> bool:
        """Whether an iteration has begun of which launches are still to be made."""
        return bool(self._phase or self._done)

    def _by_launches(self) -> bool:
        stale = time.monotonic() - self._timed_at > PHASE_PERIOD
        return self.under_way or stale or self._long()

    def _long(self) -> bool:
        return sum(self.times.values()) > LONG_ITERATION

    def _short(self) -> bool:
        """Whether iterations are known not to be long; of the first one nothing is known."""
        return bool(self.times) and not self._long()

    def _advance(self) -> bool:
        """Start the next pieces of an iteration; return whether they are its last ones."""
        name, pieces = self._phases[self._phase]
        end = len(pieces) if self._short() else min(self._done + self._sizes[name], len(pieces))
        if not self._flying and not self._long():
            self._machine.run([HOLD_LAUNCH])
        begin = self._last or self._machine.mark()
        first = self._done
        launches = pieces.between(first, end)
        while launches[-1].followed:
            launches += pieces.between(end, end + 1)
            end += 1
        self._machine.run(launches)
        self._last = self._machine.mark()
        self._done = end
        if end == len(pieces):
            self._phase, self._done = (self._phase + 1) % len(self._phases), 0
        whole = self._phase == self._done == 0
        if whole:
            self._timed_at = time.monotonic()
        self._flying.append(_Batch(self._last, begin, name, end - first, whole))
        self._collect(1 if self._slow else 2)
        return whole

    def _collect(self, keep: int) -> None:
        """Wait until only ``keep`` batches are in flight; add up the times of the others."""
        while len(self._flying) > keep:
            batch = self._flying.popleft()
            batch.end.wait()
            if batch.begin is None:
                continue
            spent = batch.end.since(batch.begin)
            self._sums[batch.phase] += spent
            self._counts[batch.phase] += batch.pieces
            self._slow = spent > BATCH[1]
            self._sizes[batch.phase] = _next_size(self._sizes[batch.phase], batch.pieces, spent)
            if batch.completes:
                self.times = MappingProxyType(dict(self._sums))
                self._sums = dict.fromkeys(self._sums, 0.0)
                self._counts = dict.fromkeys(self._counts, 0)


def _next_size(size: int, pieces: int, spent: float) -> int:
    """How many pieces the next batch has, not ``size``, if so many took ``spent`` milliseconds."""
    least, most = BATCH
    if spent < least and pieces >= size:  # the last batch of a phase has fewer
        return min(2 * pieces, GRAPH_LAUNCHES)
    return min(size, max(1, pieces // 2)) if spent > most else size
