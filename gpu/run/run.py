"""One run of one colony: the only run loop, used by the window, the command line and scripts.

:meth:`Run.finish` is the loop, and :meth:`Run.advance` what it does again and again: make changes,
let the colony make some iterations, look at them, and end if a stop criterion is met.
"""

from __future__ import annotations

import logging
import math
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gpu import catalog
from gpu.core.colony import Colony, never
from gpu.core.decisions import BackwardRule, Replay, Rule, Step, TrailCopy, Unanswered
from gpu.core.errors import FormicariumError, WrongSolutionError, sentence_for
from gpu.core.history import HISTORY_KEPT, Improvement
from gpu.core.instance import Instance, Solution
from gpu.core.machine import devices
from gpu.core.machine.compiling import COMPILING
from gpu.core.snapshot import MOST_WALKED, RunState, Wanted
from gpu.run.bounding import Bounding
from gpu.run.changes import Change, Setting
from gpu.run.changing import Changes, RefusedChange
from gpu.run.observing import Observer
from gpu.run.outcome import Ending, RunOutcome, Spent
from gpu.run.session import Session
from gpu.run.slices import RunSlices, warning
from gpu.run.starting import starts_of
from gpu.run.stopping import StopCriterion, criterion_met, iterations_left

if TYPE_CHECKING:
    from gpu.run.log.recorder import Recorder  # slow to import, and not every run has one

OBSERVED_EVERY = 0.060
"""Seconds between two looks at the colony's numbers. Each look waits for the GPU, and the GPU then
idles until this thread gets Python's lock back, which the window's painting may hold for long."""

MOST_FETCHING = 0.05
"""Share of a run's time in which solutions are fetched and checked, at most: looks at a colony are
farther apart where each takes long, as with a million cities."""

RESTARTS = 3
"""How often a run goes on after its colony went wrong; the next time ends it."""

_STOPPED = "stopped by the user"

_MIDWAY = (
    "This iteration has begun, and may have changed trails already: make a step, and the next one "
    "is foretold from where it begins."
)

_CUT_SHORT = "The run ended within this iteration, which may have changed trails already."

_FORGOTTEN = (
    "The trails before this iteration are gone. Pause the run (P), then make one iteration after "
    "the other (N, or play): each of these can be looked into."
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Forgotten:
    """Stands for a replay of an ``iteration``, counted from 0, before which no trails were kept."""

    iteration: int

    def decision(
        self, ant: int, step: int, cancelled: Callable[[], bool] = never
    ) -> Step | Unanswered | None:
        """Say why there is none."""
        return Unanswered(ant, self.iteration, step, _FORGOTTEN)


class Run:
    """A colony that works on a session, in slices. Every run ends exactly once.

    Call all methods from one thread, because a CUDA context belongs to its thread. Only
    :meth:`cancel` and :meth:`change` may be called from any thread.

    The ``generation`` is stamped on the states, so that those of an older run can be told. The
    ``recorder`` writes the run's log.

    ``improvements`` has every solution that was better than all before it, since the beginning.
    Whoever wants to hear of each new state while the run goes on appends a function to
    ``observers``: it is called with the state, whose ``progress`` says what happened since the
    state before. No iteration is left out, however many were made between the two.

    Unless the session ``begins`` with a solution, only those that the colony finds count.
    """

    def __init__(
        self,
        instance: Instance,
        session: Session,
        generation: int = 0,
        recorder: Recorder | None = None,
    ) -> None:
        self.session = session
        self.changes = Changes(instance, session)
        self.outcome: RunOutcome | None = None  # how the run ended
        # what the user should know before the end: that an iteration takes longer than the limit
        self.notice = ""
        self.midway = False  # whether the colony may have stopped in the middle of an iteration
        # called with each new state, in the thread that works on the run
        self.observers: list[Callable[[RunState], object]] = []
        self._recorder, self._begins = recorder, session.begins
        self._observer = Observer(generation, instance.forbidden_from)
        self._criteria = session.stop.criteria(instance)
        self._colony: Colony | None = None
        self._bounding: Bounding | None = None  # of tours: while it is looked for beside the run
        self._rule: Rule | None = None  # of replays; another one after each change
        # The iteration before which trails were kept, and what replays it; see :meth:`keep_trails`.
        self._before: tuple[int, BackwardRule, TrailCopy] | None = None
        self._cancelled = threading.Event()
        self._slices = RunSlices()
        self._unobserved = 0  # whole iterations since the last look
        self._observed_at = -math.inf
        self._restarts = 0
        self._building_since: float | None = None
        self._built_in = 0.0  # seconds

    @property
    def answers(self) -> bool:
        """Whether the trails can be read: the colony is built, has not failed and is not closed."""
        failed = self.outcome is not None and self.outcome.ending is Ending.FAILED
        return self._colony is not None and not failed

    @property
    def state(self) -> RunState:
        """The state after the last good slice: numbers and the best solution."""
        return self._observer.state

    @property
    def present(self) -> RunState:
        """``state``, with the seconds spent until now. Any thread may ask."""
        return replace(self.state, elapsed=max(self._slices.elapsed, self.state.elapsed))

    @property
    def setting(self) -> Setting:
        """What the run works on and with now."""
        return self.changes.setting

    @property
    def instance(self) -> Instance:
        """What is solved: another one than at the beginning once cities have changed."""
        return self.changes.setting.instance

    @property
    def made(self) -> int:
        """Whole iterations that were asked for; ``state`` may not know of the last ones yet."""
        return self.state.iteration + self._unobserved

    @property
    def improvements(self) -> Sequence[Improvement]:
        """Every solution that was better than all before it, since the beginning; it grows."""
        return self._observer.found.improvements

    @property
    def spent(self) -> Spent:
        """The time beside that of solving until now. Any thread may ask."""
        since = self._building_since
        building = self._built_in if since is None else time.perf_counter() - since
        return Spent(building, self._observer.checking)

    def finish(self, after_slice: Callable[[], object] = lambda: None) -> RunOutcome:
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

    def build(self) -> None:
        """Build the colony. This may take seconds, and ends the run if it fails.

        Even before, ``state`` has a solution, if the problem has one to begin with. A run that is
        cancelled meanwhile does not wait for what is still to be compiled.
        """
        COMPILING.give_way()
        self._building_since = time.perf_counter()
        bounding: Bounding | None = None
        try:
            device = devices.find(self.session.device)
            system = catalog.find(self.session.colony, device)
            begin = self.session.start
            given = None if begin is None else begin.load(self.instance)
            with COMPILING.until(self._cancelled.is_set):
                starts = self._starts(given)
                self._begin(next(starts, None))  # has the compiler and the cores for itself
                bounding = Bounding(self.instance, self._over)
                if bounding.quick:
                    bounding.start()
                for start in starts:
                    self._begin(start)
                self._colony = self.changes.build(system, device, given)
            if bounding.quick:
                self._note_bound(bounding)
            else:
                self._look_for_bound()
        except Exception as error:
            self.fail(error, refused=isinstance(error, (FormicariumError, MemoryError)))
        finally:
            if bounding is not None:
                bounding.join()  # where building failed, it stops at its next look
            self._built_in, self._building_since = self.spent.building, None
        self._end_if_due()

    def _over(self) -> bool:
        return self._cancelled.is_set() or self.outcome is not None

    def _look_for_bound(self) -> None:
        """Look for a bound that takes long beside the run; in a study nothing is beside it."""
        bounding = Bounding(self.instance, self._over)
        if self._begins and not bounding.quick:
            self._bounding = bounding
            bounding.start()

    def _bound_anew(self) -> None:
        """Forget the bound of other cities, and look for that of these."""
        self._observer.note_bound(None)
        if self._bounding is not None:
            self._bounding.forget()  # once it has heard of it, the next one begins
        else:
            self._look_for_bound()

    def _hear_of_bound(self) -> None:
        """Note the bound that was looked for beside the run, once it is there."""
        bounding = self._bounding
        if bounding is None or not bounding.ended:
            return
        self._bounding = None
        if bounding.forgotten:
            self._look_for_bound()
        else:
            self._note_bound(bounding)

    def _note_bound(self, bounding: Bounding) -> None:
        """Wait for the lower bound; without one the run goes on."""
        try:
            bound = bounding.result()
        except Exception as error:
            _log.exception("%s: there is no lower bound", self.instance.name)
            self.notice = f"there is no lower bound: {sentence_for(error)}"
            return
        if bound is None:
            return
        self._observer.note_bound(bound)
        if self._recorder is not None:
            self._recorder.bound(self.state, bound)
        if self.state.best_solution is not None:
            self._tell(self.state)

    def advance(self, at_most: int | None = None) -> int:
        """Work for about ``SLICE`` seconds; return how many iterations became whole.

        A colony that can stop in the middle of a long iteration does so, and the next call goes on
        with it. Until that iteration is whole, ``state`` changes only in its time. No more than
        ``at_most`` iterations are made.
        """
        self.make_changes()
        self._hear_of_bound()
        self._end_if_due()
        if self.outcome is not None or self._colony is None:
            return 0
        left = iterations_left(self._criteria, self.state) - self._unobserved
        # later ones would be forgotten before they are observed
        room = HISTORY_KEPT - self._unobserved
        most = min(math.inf if at_most is None else at_most, self.changes.room(self.made))
        limit = math.inf if (given := self.setting.stop.seconds) is None else given
        if limit < math.inf:
            most = min(most, self._slices.within(limit - self._slices.elapsed))
        count = int(min(self._slices.count, left, room, most))
        before = self.made
        slice_over = self._slices.begin()
        try:
            self._colony.iterate(count, slice_over)
            self.midway = slice_over.passed
            self._unobserved += count
            pause = max(OBSERVED_EVERY, self._observer.fetching / MOST_FETCHING)
            late = time.perf_counter() - self._observed_at > pause
            late = late or self._slices.elapsed >= limit
            if slice_over.passed or late or at_most is not None or count in (left, room):
                self._observe(self._colony)
                asked, count = count, self.made - before
                self.midway = self.midway and count < asked
        except Exception as error:
            self._go_on_after(error)
            return 0
        self._slices.end(count)
        if not self.notice and not self.made:
            self.notice = warning(self._colony, self._slices.spent, self.setting.stop.seconds)
        self._end_if_due()
        return count

    def snapshot(self, wanted: Wanted) -> RunState:
        """Wait for the device, and return a checked state with the parts ``wanted``.

        After the end this is the final state. If the colony has failed or is closed, it is the last
        good state, which has only numbers and the solution.
        """
        if self._colony is None or not self.answers:
            return self.state
        try:
            elapsed = self._slices.elapsed
            taken = self._observer.snapshot(self._colony, self.instance, wanted, elapsed)
            self._observed(taken)
            return taken
        except Exception as error:
            self._go_on_after(error)
            return self.state

    def replay(self) -> Replay:
        """Start to replay the coming iteration; ParameterError if its system cannot be replayed.

        Answers have a caveat if that iteration has begun.
        """
        assert self._colony is not None
        begun = _MIDWAY if self.outcome is None else _CUT_SHORT
        rule = self._present_rule()
        return rule.replay(self._colony, self.state.iteration, begun if self.midway else "")

    def _present_rule(self) -> Rule:
        if self._rule is None:
            system, seed = self.session.system, self.session.seed
            self._rule = catalog.rule_of(system, self.instance, self.setting.parameters, seed)
        return self._rule

    def keep_trails(self) -> None:
        """Copy the trails, so that the coming iteration can be looked into when it is made.

        Nothing is kept where ants are not shown at work, or in the midst of an iteration.
        """
        self._before = None
        shown = self.session.system.walks and self.instance.n <= MOST_WALKED
        if shown and self.session.system.rule and self._colony is not None and not self.midway:
            rule = self._present_rule()
            if isinstance(rule, BackwardRule):
                self._before = self.state.iteration, rule, rule.copied(self._colony)

    def replay_made(self) -> Replay:
        """Start to replay the iteration that was made last, if its trails were kept."""
        before, last = self._before, self.state.iteration - 1
        walks = None if before is None else self.snapshot(Wanted.WALKS).walks
        if before is None or before[0] != last or walks is None:
            return _Forgotten(last)
        iteration, rule, trails = before
        return rule.replay_made(trails, iteration, walks.orders)

    def add_wait(self, seconds: float) -> None:
        """Count ``seconds`` in which the run waited, to be watched, as part of its time."""
        self._slices.spent += seconds
        self._observer.state = replace(self.state, elapsed=self.state.elapsed + seconds)

    def cancel(self) -> None:
        """Ask for the end. It comes after the current slice."""
        self._cancelled.set()

    def uncancel(self) -> None:
        """Take that back, so that a run which has ended can go on. Any thread may call it."""
        self._cancelled.clear()

    def change(self, change: Change) -> None:
        """Ask for a change. It is made after the iteration that is under way."""
        self.changes.ask(change)

    @property
    def change_due(self) -> bool:
        """Whether a change waits, and can be made now."""
        return self._colony is not None and self.changes.due(self.made, midway=self.midway)

    @property
    def change_waits(self) -> bool:
        """Whether a change waits, be it for the end of the iteration that is under way."""
        return self._colony is not None and self.changes.due(self.made, midway=False)

    def make_changes(self) -> None:
        """Make the changes that are due; a run that has reached a new limit ends."""
        if self.outcome is not None or not self.change_due:
            return
        try:
            while self.change_due:
                self._make_next()
        except Exception as error:
            self._go_on_after(error)
        self._end_if_due()

    def go_on(self, change: Change) -> None:
        """Go on after the end, with a ``change`` that allows it; a failed run stays as it is."""
        if self.outcome is None or not self.answers:
            return
        self.outcome = None
        if self._recorder is not None:
            self._recorder.reopen()
        if self.state.bound is None and self._bounding is None:
            self._look_for_bound()
        self.change(change)
        self.make_changes()

    def fail(self, error: BaseException, *, refused: bool = False) -> None:
        """End the run because of ``error``: a sentence for the user, the traceback for the log.

        With ``refused``, nothing was begun, and the user can mend the reason.
        """
        _log.error("%s: the run failed", self.session.colony, exc_info=error)
        details = "".join(traceback.format_exception(error))
        self._end(Ending.FAILED, sentence_for(error), details=details, refused=refused)

    def close(self) -> None:
        """Free the colony. A run that has not ended counts as cancelled."""
        self._end(Ending.CANCELLED, _STOPPED)
        if self._bounding is not None:
            self._bounding.join()  # it stops at its next look
        colony, self._colony = self._colony, None
        if colony is not None:
            try:
                colony.close()
            except Exception:  # a failed device cannot free memory; the outcome stays as it is
                _log.exception("%s: closing the colony failed", self.session.colony)

    def _starts(self, given: Solution | None) -> Iterator[Solution]:
        """Yield what the run begins with before there is a colony: what is ``given``, if it is."""
        if given is not None and self.instance.is_solution_at(self.instance.cost_of(given)):
            return iter((given,))
        return iter(starts_of(self.instance, self._cancelled.is_set) if self._begins else ())

    def _begin(self, start: Solution | None) -> None:
        """Begin with a solution, if there is one."""
        if start is not None:
            self._observer.begin(start, self.instance.cost_of(start))
            self._tell(self.state)

    def _make_next(self) -> None:
        """Make the next change, or refuse it and say why."""
        colony = self._colony
        assert colony is not None
        if self._unobserved:
            self._observe(colony)
        self._colony, before, cities = None, self.state, self.instance
        made = self.changes.make_next(colony, before)
        self._colony = made.colony
        if isinstance(made, RefusedChange):
            self.notice = f"nothing is changed: {made.why}"
        else:
            self._rule = None
            self._slices.begin_anew()
            if self.instance is not cities:
                self._bound_anew()
            self._criteria = self.setting.stop.criteria(self.instance)
            if made.left is not None:
                self._observer.take_over(*made.left)
            if self._recorder is not None:
                self._recorder.change(made.line, before, self.state, self.instance)
            if made.left is not None:
                for observer in self.observers:
                    observer(self.state)
            if before.iteration:
                self._observe(made.colony)
        for told in self.changes.observers:
            told(None if isinstance(made, RefusedChange) else made.change)

    def _go_on_after(self, error: Exception) -> None:
        """Go on with a new colony if a solution was wrong; any other ``error`` ends the run.

        What was found before is right, because it was checked: a user does not lose it.
        """
        state, colony = self.state, self._colony
        if not isinstance(error, WrongSolutionError) or state.best_solution is None:
            self.fail(error)
            return
        noun = self.instance.problem.words.solution
        wrong = f"after iteration {state.iteration} {self.session.colony} went wrong ({error})"
        _log.error("%s", wrong, exc_info=error)
        report = "please report it with the run's log"
        end = f"the run ended with the last {noun} that was checked; {report}"
        if self.outcome is not None:
            return  # its solution is one that was checked
        if colony is None or self._restarts == RESTARTS:
            self._end(Ending.FINISHED, f"{wrong}: {end}")
            return
        self._restarts += 1
        self._slices.leave()
        self._slices.begin_anew()
        self._rule, self._unobserved, self.midway, self._colony = None, 0, False, None
        try:
            self._colony = self.changes.build_anew(colony, state)
        except Exception as failure:
            _log.error("%s: no new colony", self.session.colony, exc_info=failure)
            why = f"a new colony cannot be built ({sentence_for(failure)})"
            self._end(Ending.FINISHED, f"{wrong}, and {why}: {end}")
            return
        self.notice = f"{wrong}: it began anew with the last {noun} that was checked; {report}"
        if self._recorder is not None:
            self._recorder.restart(state, self.notice)

    def _observe(self, colony: Colony) -> None:
        """Renew the state, in a slice or between two of them, and tell of it."""
        recorded = self._recorder.wanted(self._slices.spent) if self._recorder else Wanted.NUMBERS
        self._observed(self._observer.look(colony, self.instance, self._slices.elapsed, recorded))

    def _observed(self, taken: RunState) -> None:
        self._unobserved = 0
        self._observed_at = time.perf_counter()
        self._tell(taken)

    def _tell(self, taken: RunState) -> None:
        """Tell the log of the new state with all that was ``taken``, and all observers of it."""
        if self._recorder is not None:
            self._recorder.record(taken)
        for observer in self.observers:
            observer(self.state)

    def _end_if_due(self) -> None:
        if self._cancelled.is_set():
            self._end(Ending.CANCELLED, _STOPPED)
        elif self.changes.recorded_due(self.made):
            return  # it comes before the end
        elif met := criterion_met(self._criteria, self.state):
            said = "" if self.state.iteration else self.notice
            if self.state.iteration and self.state.best_cost is None:
                said = self.instance.nothing_found
            self._end(Ending.FINISHED, said, met)

    def _end(
        self,
        ending: Ending,
        said: str,
        criterion: StopCriterion | None = None,
        *,
        details: str = "",
        refused: bool = False,
    ) -> None:
        if self.outcome is not None:
            return
        if self._slices.under_way:  # an error or an interrupt has ended it
            self._observer.state = self.present
            self._slices.leave()
        spent = self.spent
        self.outcome = RunOutcome(ending, said, self.state, details, refused, spent, criterion)
        if self._recorder is not None:
            self._recorder.finish(self.outcome)
