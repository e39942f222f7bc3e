"""One run of one colony, in slices, with exactly one ending; the thread and the command use it."""

from __future__ import annotations

import logging
import math
import threading
import time
import traceback
from dataclasses import replace
from typing import TYPE_CHECKING

from gpu import catalog
from gpu.core import devices
from gpu.core.errors import sentence_for
from gpu.core.snapshot import Snapshot, Wanted
from gpu.run.outcome import Ending, Outcome
from gpu.run.solution_check import SolutionCheck
from gpu.run.stopping import iterations_left, reason_to_stop

if TYPE_CHECKING:
    from gpu.core.colony import Colony
    from gpu.core.instance import Instance
    from gpu.core.rule import Rule
    from gpu.decisions.replay import Replay
    from gpu.run.recorder import Recorder
    from gpu.run.session import Session

SLICE = 0.020
"""Seconds of work between two looks at what the user wants."""

OBSERVED_EVERY = 0.060
"""Seconds between two looks at how far the colony is. To look is to wait for a GPU, which then
idles until this thread has Python's lock again: the window's painting may hold it for long."""

_log = logging.getLogger(__name__)


class _Deadline:
    """Says whether a time has passed, and whether it has ever said so."""

    def __init__(self, at: float) -> None:
        self._at = at
        self.passed = False

    def __call__(self) -> bool:
        self.passed = time.perf_counter() >= self._at
        return self.passed


class Run:
    """A colony at work on a session, from building it to its one ending.

    All methods are called from one thread, because a CUDA context belongs to its thread;
    :meth:`cancel` alone may be called from any.

    Attributes
    ----------
    outcome : Outcome or None
        How the run ended; None while it has not.
    state : Snapshot
        The last good state after a slice: numbers, and the best solution. Never partly updated, so
        it may be read from another thread.
    midway : bool
        Whether the colony was left in the midst of an iteration, or may have been.
    """

    def __init__(
        self,
        instance: Instance,
        session: Session,
        generation: int = 0,
        recorder: Recorder | None = None,
    ) -> None:
        self.instance = instance
        self.session = session
        self.outcome: Outcome | None = None
        self.state = Snapshot(0, 0, 0, 0, 0, math.nan, generation=generation)
        self.midway = False
        self._generation = generation
        self._recorder = recorder
        self._criteria = session.stop.criteria(instance)
        self._check = SolutionCheck(instance, session)
        self._colony: Colony | None = None
        self._rule: Rule | None = None
        self._cancelled = threading.Event()
        self._elapsed = 0.0
        self._count = 1
        self._unobserved = 0
        self._observed_at = -math.inf
        self._recorded = 0

    @property
    def answers(self) -> bool:
        """Whether there is a colony whose trails can be read: one built, not failed or closed."""
        failed = self.outcome is not None and self.outcome.ending is Ending.FAILED
        return self._colony is not None and not failed

    @property
    def made(self) -> int:
        """Iterations asked for and not left in their midst; ``state`` may tell of fewer."""
        return self.state.iteration + self._unobserved

    def build(self) -> None:
        """Build the colony; may take seconds, and ends the run if it fails."""
        try:
            device = devices.find(self.session.device)
            system = catalog.find(self.session.colony, device)
            self._colony = catalog.build(
                system, self.instance, self.session.parameters, device, self.session.seed
            )
        except Exception as error:
            self.fail(error)
        self._end_if_due()

    def cancel(self) -> None:
        """Ask for the end; it comes after the slice that is being worked on."""
        self._cancelled.set()

    def advance(self, at_most: int | None = None) -> int:
        """Work for about ``SLICE`` seconds; return how many iterations became whole.

        Where an iteration takes longer and can be left, it is: the next call goes on with it.
        Until it is whole, ``state`` is that of the iteration before, but for the time.

        Parameters
        ----------
        at_most : int, optional
            Most iterations to make, for single steps.
        """
        self._end_if_due()
        if self.outcome is not None or self._colony is None:
            return 0
        left = iterations_left(self._criteria, self.state) - self._unobserved
        count = int(min(self._count, left, math.inf if at_most is None else at_most))
        before = self.made
        begin = time.perf_counter()
        slice_over = _Deadline(begin + SLICE)
        try:
            self._colony.iterate(count, slice_over)
            self.midway = slice_over.passed
            self._unobserved += count
            late = time.perf_counter() - self._observed_at > OBSERVED_EVERY
            if slice_over.passed or late or at_most is not None or count == left:
                self.state = self._observe(self._colony, begin)
                asked, count = count, self.made - before
                self.midway = self.midway and count < asked
        except Exception as error:
            self.fail(error)
            return 0
        spent = time.perf_counter() - begin
        self._elapsed += spent
        # Towards SLICE, but never more than twice as many as just timed: the first iterations
        # also pay for compilation, and a short capped slice says little.
        self._count = max(1, min(2 * count, int(count * SLICE / max(spent, 1e-6))))
        # A long iteration may be whole before its slice is over, and be seen in the next one only.
        if self._recorder is not None and self.state.iteration > self._recorded:
            self._recorded = self.state.iteration
            self._recorder.record(self.state)
        self._end_if_due()
        return count

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Finish what is in flight and return a checked state with the parts ``wanted``.

        After the end it is the final state: with all parts if the colony still answers, else
        the last good one with its solution.
        """
        if self._colony is None or (self.outcome and self.outcome.ending is Ending.FAILED):
            return self.state
        try:
            taken = self._colony.snapshot(wanted | Wanted.SOLUTION)
            best = self._check.best(taken, self.state)
            self._check.check(taken.iteration_solution, taken.iteration_best)
        except Exception as error:
            self.fail(error)
            return self.state
        self._note_observation()
        taken = replace(
            taken, best_solution=best, elapsed=self._elapsed, generation=self._generation
        )
        self.state = replace(taken, pheromone=None, trails=None)
        return taken

    def replay(self) -> Replay:
        """Begin to foretell the coming iteration from the trails as they stand.

        Raises
        ------
        ParameterError
            If the ants of this system cannot be replayed.
        """
        from gpu.decisions.replay import Replay

        assert self._colony is not None
        if self._rule is None:
            session = self.session
            self._rule = catalog.rule_of(
                session.system, self.instance, session.parameters, session.seed
            )
        caveat = (
            "This iteration has begun, and may have changed trails already: make a step, and the "
            "next one is foretold from where it begins."
            if self.midway
            else ""
        )
        return Replay(self._rule, self.instance.n, self._colony, self.state.iteration, caveat)

    def fail(self, error: BaseException) -> None:
        """End the run because of ``error``; one sentence for the user, the rest for the log."""
        _log.error("%s: the run failed", self.session.colony, exc_info=error)
        details = "".join(traceback.format_exception(error))
        self._end(Ending.FAILED, sentence_for(error), details)

    def close(self) -> None:
        """Free the colony. A run that has not ended counts as cancelled."""
        self._end(Ending.CANCELLED, "stopped by the user")
        colony, self._colony = self._colony, None
        if colony is not None:
            try:
                colony.close()
            except Exception:  # the outcome stands; a device that failed cannot even free
                _log.exception("%s: closing the colony failed", self.session.colony)

    def _observe(self, colony: Colony, begin: float) -> Snapshot:
        """Return the state after a slice; the best solution is fetched only if it is a new one."""
        taken = colony.snapshot(Wanted.NUMBERS)
        best = self.state.best_solution
        if best is None or taken.best_cost != self.state.best_cost:
            taken = colony.snapshot(Wanted.SOLUTION)
            best = self._check.best(taken, self.state)
        self._note_observation()
        return replace(
            taken,
            best_solution=best,
            elapsed=self._elapsed + time.perf_counter() - begin,
            generation=self._generation,
        )

    def _note_observation(self) -> None:
        self._unobserved = 0
        self._observed_at = time.perf_counter()

    def _end_if_due(self) -> None:
        if self.outcome is not None:
            return
        if self._cancelled.is_set():
            self._end(Ending.CANCELLED, "stopped by the user")
        elif reason := reason_to_stop(self._criteria, self.state):
            self._end(Ending.FINISHED, reason)

    def _end(self, ending: Ending, reason: str, details: str = "") -> None:
        if self.outcome is None:
            self.outcome = Outcome(ending, reason, self.state, details)
            if self._recorder is not None:
                self._recorder.finish(self.outcome)
