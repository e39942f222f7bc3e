"""One run of one colony: the only run loop, used by the window, the command line and scripts."""

from __future__ import annotations

import logging
import math
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gpu import catalog
from gpu.core import devices
from gpu.core.colony import Colony, Foreseeing
from gpu.core.errors import FormicariumError, SolutionError, sentence_for
from gpu.core.history import KEPT, History, Improvement
from gpu.core.instance import Instance
from gpu.core.rule import Rule
from gpu.core.snapshot import Snapshot, Wanted
from gpu.decisions.replay import Replay
from gpu.run.course import Course, InconsistentError
from gpu.run.outcome import Ending, Outcome
from gpu.run.session import Session
from gpu.run.starting import start_of
from gpu.run.stopping import iterations_left, reason_to_stop

if TYPE_CHECKING:
    from gpu.run.recorder import Recorder  # slow to import, and not every run has one

SLICE = 0.020  # seconds of work after which the run looks whether the user wants something
OBSERVED_EVERY = 0.060
"""Seconds between two looks at the colony's numbers. Each look waits for the GPU, and the GPU then
idles until this thread gets Python's lock back, which the window's painting may hold for long."""

_SURE = 0.5  # seconds of an iteration, after which is said how long it will take

_MIDWAY = (
    "This iteration has begun, and may have changed trails already: make a step, and the next one "
    "is foretold from where it begins."
)

_CUT_SHORT = "The run ended within this iteration, which may have changed trails already."

_log = logging.getLogger(__name__)


class _Deadline:
    """Says whether a time has passed, and remembers its last answer."""

    def __init__(self, at: float) -> None:
        self._at = at
        self.passed = False

    def __call__(self) -> bool:
        self.passed = time.perf_counter() >= self._at
        return self.passed


class WrongSolutionError(FormicariumError):
    """A colony gave an invalid solution, or a wrong cost; the run ends because of it."""


class Run:
    """A colony that works on a session, in slices. Every run ends exactly once.

    Call all methods from one thread, because a CUDA context belongs to its thread. Only
    :meth:`cancel` may be called from any thread.

    The ``generation`` is stamped on the snapshots, so that those of an older run can be told. The
    ``recorder`` writes the run's log.

    ``improvements`` has every solution that was better than all before it, since the beginning.
    Whoever wants to hear of each new state while the run goes on appends a function to
    ``observers``: it is called with the state, whose ``progress`` says what happened since the
    state before. No iteration is left out, however many were made between the two.
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
        self.outcome: Outcome | None = None  # how the run ended
        # The state after the last good slice: numbers and the best solution. It is replaced as a
        # whole, so another thread may read it.
        self.state = Snapshot(0, 0, 0, 0, 0, math.nan, generation=generation)
        # what the user should know before the end: that an iteration takes longer than the limit
        self.notice = ""
        self.midway = False  # whether the colony may have stopped in the middle of an iteration
        # called with each new state, in the thread that works on the run
        self.observers: list[Callable[[Snapshot], object]] = []
        self._generation = generation
        self._recorder = recorder
        self._course = Course()
        self._criteria = session.stop.criteria(instance)
        self._colony: Colony | None = None
        self._rule: Rule | None = None
        self._cancelled = threading.Event()
        self._start: Snapshot | None = None  # the state with which the run began, with its solution
        self._progressed = 0  # the iteration in which the colony last bettered its own best
        self._elapsed = 0.0
        self._begun: float | None = None  # when the slice that is under way began
        self._count = 1
        self._unobserved = 0
        self._observed_at = -math.inf

    @property
    def answers(self) -> bool:
        """Whether the trails can be read: the colony is built, has not failed and is not closed."""
        failed = self.outcome is not None and self.outcome.ending is Ending.FAILED
        return self._colony is not None and not failed

    @property
    def made(self) -> int:
        """Whole iterations that were asked for; ``state`` may not know of the last ones yet."""
        return self.state.iteration + self._unobserved

    @property
    def improvements(self) -> Sequence[Improvement]:
        """Every solution that was better than all before it, since the beginning; it grows."""
        return self._course.improvements

    @property
    def present(self) -> Snapshot:
        """``state``, with the seconds spent until now. Any thread may ask."""
        spent = self._elapsed  # first, so that a slice which ends just now is not counted twice
        if (begun := self._begun) is not None:
            spent += time.perf_counter() - begun
        return replace(self.state, elapsed=max(spent, self.state.elapsed))

    def build(self) -> None:
        """Build the colony. This may take seconds, and ends the run if it fails.

        From then on ``state`` has a solution, if the problem has one to begin with.
        """
        try:
            device = devices.find(self.session.device)
            system = catalog.find(self.session.colony, device)
            begin = self.session.start
            given = None if begin is None else begin.load(self.instance)
            self._colony = catalog.build(
                system, self.instance, self.session.parameters, device, self.session.seed, given
            )
            first = start_of(self.instance) if given is None else given
            if first is not None:
                cost = self.instance.cost_of(first)
                self.state = replace(
                    self.state,
                    best_cost=cost,
                    best_solution=first,
                    progress=self._course.begin(cost),
                )
                self._start = self.state
                self._tell(self.state)
        except Exception as error:
            self.fail(error)
        self._end_if_due()

    def cancel(self) -> None:
        """Ask for the end. It comes after the current slice."""
        self._cancelled.set()

    def finish(self, after_slice: Callable[[], object] = lambda: None) -> Outcome:
        """Build the colony, work until the run ends, and free the colony.

        After each slice ``after_slice`` is called. What it raises ends the run and is raised here.
        """
        try:
            self.build()
            while self.outcome is None:
                self.advance()
                after_slice()
        except KeyboardInterrupt:
            raise  # closing the run cancels it
        except BaseException as error:
            self.fail(error)
            raise
        finally:
            self.close()
        return self.outcome

    def advance(self, at_most: int | None = None) -> int:
        """Work for about ``SLICE`` seconds; return how many iterations became whole.

        A colony that can stop in the middle of a long iteration does so, and the next call goes on
        with it. Until that iteration is whole, ``state`` changes only in its time. No more than
        ``at_most`` iterations are made.
        """
        self._end_if_due()
        if self.outcome is not None or self._colony is None:
            return 0
        left = iterations_left(self._criteria, self._judged) - self._unobserved
        room = KEPT - self._unobserved  # later ones would be forgotten before they are observed
        count = int(min(self._count, left, room, math.inf if at_most is None else at_most))
        before = self.made
        begin = self._begun = time.perf_counter()
        slice_over = _Deadline(begin + SLICE)
        try:
            self._colony.iterate(count, slice_over)
            self.midway = slice_over.passed
            self._unobserved += count
            late = time.perf_counter() - self._observed_at > OBSERVED_EVERY
            if slice_over.passed or late or at_most is not None or count in (left, room):
                self._observe(self._colony, begin)
                asked, count = count, self.made - before
                self.midway = self.midway and count < asked
        except Exception as error:
            self.fail(error)
            return 0
        spent = time.perf_counter() - begin
        self._begun = None
        self._elapsed += spent
        self._foresee(self._colony)
        # The next slice aims at SLICE seconds, but at most doubles the iterations: the first ones
        # include compilation, and a slice cut short by a limit says little about speed.
        self._count = max(1, min(2 * count, int(count * SLICE / max(spent, 1e-6))))
        self._end_if_due()
        return count

    def add_wait(self, seconds: float) -> None:
        """Count ``seconds`` in which the run waited, to be watched, as part of its time."""
        self._elapsed += seconds
        self.state = replace(self.state, elapsed=self.state.elapsed + seconds)

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Wait for the device, and return a checked state with the parts ``wanted``.

        After the end this is the final state. If the colony has failed or is closed, it is the last
        good state, which has only numbers and the solution.
        """
        if self._colony is None or not self.answers:
            return self.state
        try:
            taken = self._colony.snapshot(wanted | Wanted.SOLUTION)
            best = self._checked_best(taken)
            self._check(taken.iteration_solution, taken.iteration_best)
            return self._take_in(taken, best, self._elapsed)
        except Exception as error:
            self.fail(error)
            return self.state

    def replay(self) -> Replay:
        """Start to replay the coming iteration; ParameterError if its system cannot be replayed."""
        assert self._colony is not None
        if self._rule is None:
            session = self.session
            self._rule = catalog.rule_of(
                session.system, self.instance, session.parameters, session.seed
            )
        caveat = "" if not self.midway else _MIDWAY if self.outcome is None else _CUT_SHORT
        return Replay(self._rule, self.instance.n, self._colony, self.state.iteration, caveat)

    def fail(self, error: BaseException) -> None:
        """End the run because of ``error``: a sentence for the user, the traceback for the log."""
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
            except Exception:  # a failed device cannot free memory; the outcome stays as it is
                _log.exception("%s: closing the colony failed", self.session.colony)

    def _observe(self, colony: Colony, begin: float) -> None:
        """Renew the state after a slice. Only a new best solution is fetched from the device."""
        taken, state = colony.snapshot(Wanted.NUMBERS), self.state
        best = state.best_solution
        known = taken.best_cost == state.best_cost and state.best_iteration > 0
        recorded = self._recorder.wanted(self._elapsed) if self._recorder else Wanted.NUMBERS
        if recorded or best is None or not (known or self._start_is_better(taken)):
            taken = colony.snapshot(Wanted.SOLUTION | recorded)
            best = self._checked_best(taken)
        self._take_in(taken, best, self._elapsed + time.perf_counter() - begin)

    def _checked_best(self, taken: Snapshot) -> NDArray[np.int32] | None:
        """Check and return the best solution of ``taken``: the one known, if it is the same."""
        solution, known = taken.best_solution, self.state.best_solution
        if solution is not None and known is not None and np.array_equal(solution, known):
            if taken.best_cost != self.state.best_cost:
                noun = self.instance.problem.words.solution
                costs = f"{taken.best_cost} and {self.state.best_cost}"
                raise self._wrong(f"says that one {noun} costs {costs}")
            return known
        self._check(solution, taken.best_cost)
        return solution

    def _check(self, solution: NDArray[np.int32] | None, cost: int) -> None:
        """Raise WrongSolutionError unless ``solution`` is None, or valid and of this ``cost``."""
        if solution is None:
            return
        noun = self.instance.problem.words.solution
        try:
            exact = self.instance.cost_of(solution)
        except SolutionError as error:
            raise self._wrong(f"made something else than a {noun} ({error})") from error
        if exact != cost:
            raise self._wrong(f"says {cost} of a {noun} that costs {exact}")

    def _wrong(self, what: str) -> WrongSolutionError:
        return WrongSolutionError(
            f"{self.session.colony} {what}: the result cannot be trusted, so the run was ended; "
            "please report it with the run's log"
        )

    def _take_in(self, taken: Snapshot, best: NDArray[np.int32] | None, elapsed: float) -> Snapshot:
        """Make the new state of what the colony shows, and tell of it; return it with all parts."""
        try:
            progress = self._course.follow(taken, elapsed)
        except InconsistentError as error:
            raise self._wrong(str(error)) from error
        self._unobserved = 0
        self._observed_at = time.perf_counter()
        self._progressed = taken.best_iteration
        taken = replace(
            taken,
            best_solution=best,
            history=History(),
            progress=progress,
            elapsed=elapsed,
            generation=self._generation,
        )
        if self._start is not None and self._start_is_better(taken):
            solution, cost = self._start.best_solution, self._start.best_cost
            taken = replace(taken, best_solution=solution, best_cost=cost, best_iteration=0)
        self.state = replace(taken, pheromone=None, trails=None, strip=None, band=None)
        self._tell(taken)
        return taken

    def _tell(self, taken: Snapshot) -> None:
        """Tell the log of the new state with all that was ``taken``, and all observers of it."""
        if self._recorder is not None:
            self._recorder.record(taken)
        for observer in self.observers:
            observer(self.state)

    @property
    def _judged(self) -> Snapshot:
        """``state`` as stop criteria see it.

        A colony that has not reached the solution which the run began with makes progress as long
        as it betters its own best.
        """
        return replace(self.state, best_iteration=max(self.state.best_iteration, self._progressed))

    def _start_is_better(self, taken: Snapshot) -> bool:
        """Whether the colony has found nothing that is as good as what the run began with."""
        start = self._start
        return start is not None and (not taken.iteration or taken.best_cost > start.best_cost)

    def _foresee(self, colony: Colony) -> None:
        """Say once that an iteration takes longer than the time limit, as soon as it is known."""
        limit = self.session.stop.seconds
        if (
            limit is None
            or self.notice
            or self.state.iteration
            or not isinstance(colony, Foreseeing)
        ):
            return
        expected = colony.expected_seconds()
        if expected > limit and self._elapsed > min(_SURE, limit / 2):
            digits = 0 if expected >= 10 else 2
            self.notice = (
                f"an iteration takes at least {expected:.{digits}f} s here, and the time limit is "
                f"{limit:g} s: use fewer ants, or allow more time"
            )

    def _end_if_due(self) -> None:
        if self._cancelled.is_set():
            self._end(Ending.CANCELLED, "stopped by the user")
        elif reason := reason_to_stop(self._criteria, self._judged):
            reason += f" ({self.notice})" if self.notice and not self.state.iteration else ""
            self._end(Ending.FINISHED, reason)

    def _end(self, ending: Ending, reason: str, details: str = "") -> None:
        if self.outcome is None:
            if self._begun is not None:  # an error or an interrupt ended a slice
                self.state, self._begun = self.present, None
            self.outcome = Outcome(ending, reason, self.state, details)
            if self._recorder is not None:
                self._recorder.finish(self.outcome)
