"""Makes the changes of a run between two iterations: those asked for, and those of a record.

A colony takes other numbers by itself, where it can. Else another colony takes its place.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu import catalog
from gpu.core.colony import Colony, Foreseeing, never
from gpu.core.errors import FormicariumError, ParameterError
from gpu.core.history import History
from gpu.core.instance import Edited, Instance, Solution
from gpu.core.legacy import Adjustable, Heritable, KeptTrails, Legacy
from gpu.core.machine.devices import Device
from gpu.core.parameters import Parameters
from gpu.core.snapshot import Merges, Snapshot, Wanted
from gpu.core.system import System, place_of
from gpu.core.trails import KnownTrails
from gpu.run.changes import Change, Setting, differences, survivor
from gpu.run.session import Session


def seed_after(seed: int, iteration: int) -> int:
    """Return the seed of the colony that goes on after ``iteration``: it draws other numbers."""
    return int(np.random.SeedSequence((seed, iteration)).generate_state(1, np.uint64)[0])


class Continued:
    """A new colony that began with the best solution of the one before, and counts on from there.

    See :class:`gpu.core.colony.Colony`. The ``former`` state is the last one of the colony before,
    with its solution.
    """

    def __init__(self, colony: Colony, former: Snapshot) -> None:
        self._colony, self._former = colony, former

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        """Run ``count`` iterations; see :meth:`gpu.core.colony.Colony.iterate`."""
        self._colony.iterate(count, stop)

    def timed_iteration(self) -> Mapping[str, float]:
        """Run one iteration to its end; see :meth:`gpu.core.colony.Colony.timed_iteration`."""
        return self._colony.timed_iteration()

    def expected_seconds(self) -> float:
        """Return how long an iteration takes; see :class:`gpu.core.colony.Foreseeing`."""
        colony = self._colony
        return colony.expected_seconds() if isinstance(colony, Foreseeing) else 0.0

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Return the state, with the iterations of both colonies in it."""
        former, own = self._former, self._colony.snapshot(wanted)
        counted = former.iteration + own.iteration
        history = History(counted, own.history.best, own.history.mean)
        begun = own.iteration > 0
        if begun and own.best_iteration and own.cost < former.cost:
            best = own.best_solution
            cost, at = own.cost, former.iteration + own.best_iteration
        else:
            best = former.best_solution if Wanted.SOLUTION in wanted else None
            cost, at = former.cost, former.best_iteration
        merges = own.merges
        if merges is not None and (old := former.merges) is not None:
            merges = Merges(
                old.ants + merges.ants, old.won + merges.won, old.merged + merges.merged
            )
        return replace(
            own,
            iteration=counted,
            solutions_built=former.solutions_built + own.solutions_built,
            best_cost=cost,
            best_iteration=at,
            best_solution=best,
            iteration_best=own.iteration_best if begun else former.iteration_best,
            iteration_mean=own.iteration_mean if begun else former.iteration_mean,
            history=history,
            merges=merges,
        )

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """Return all trails from ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""
        return self._colony.trails_from(city)

    def adjust(self, parameters: Parameters) -> bool:
        """Work with other numbers; see :class:`gpu.core.legacy.Adjustable`."""
        return isinstance(self._colony, Adjustable) and self._colony.adjust(parameters)

    def close(self) -> None:
        """Free the colony's memory."""
        self._colony.close()


class ColonyPlace(NamedTuple):
    """Which system works, and where."""

    system: System
    device: Device
    seed: int

    def build(self, setting: Setting, start: Solution | None = None) -> Colony:
        """Build a new colony, which begins with ``start`` if that is given."""
        system, device, seed = self
        return catalog.build(system, setting.instance, setting.parameters, device, seed, start)

    def check_changeable(self, colony: Colony) -> None:
        """Raise ParameterError if nothing can take the place of ``colony``."""
        if not isinstance(colony, Heritable) and place_of(self.device) not in self.system.starters:
            raise ParameterError(
                f"{self.system.name} cannot be changed while it runs: it passes on neither its "
                "trails nor its best solution"
            )

    def replace(
        self,
        colony: Colony,
        before: Setting,
        after: Setting,
        edit: Edited | None,
        state: Snapshot,  # of the run
        start: Solution | None,  # for a colony that takes over before the first iteration
    ) -> tuple[Colony, FormicariumError | None]:
        """Close ``colony`` and return what goes on in its place.

        If that cannot be built, the result is another colony that goes on as ``before``, and why.
        """
        if not state.iteration:
            colony.close()
            try:
                return self.build(after, start), None
            except FormicariumError as error:
                begun = None if start is None else state.best_solution
                return self.build(before, begun), error
        legacy = _left_by(colony)
        try:
            return self._heir(after, _for(edit, legacy, before)), None
        except FormicariumError as error:
            return self._heir(before, legacy), error

    def anew(self, colony: Colony, setting: Setting, state: Snapshot) -> Colony:
        """Close ``colony``, whose memory may be wrong; return what goes on from ``state`` instead.

        Of the run's state it takes the numbers and the best solution. All trails begin anew.
        """
        passes_on = isinstance(colony, Heritable) and state.iteration > 0
        with suppress(Exception):  # it is given up
            colony.close()
        n, none = setting.instance.n, np.empty(0, np.int32)
        trails = KnownTrails(none, none, np.empty(0, np.float32))
        cost = np.array([state.cost], np.int64)
        history = History(state.iteration, cost, cost.astype(np.float64))
        return self._heir(
            setting,
            Legacy(replace(state, history=history), KeptTrails(n, trails) if passes_on else None),
        )

    def _heir(self, setting: Setting, legacy: Legacy) -> Colony:
        state = legacy.state
        if legacy.trails is None:
            later = self._replace(seed=seed_after(self.seed, state.iteration))
            begins = place_of(self.device) in self.system.starters
            return Continued(later.build(setting, state.best_solution if begins else None), state)
        colony = self.build(setting)
        try:
            assert isinstance(colony, Heritable)
            colony.inherit(legacy)
        except BaseException:
            colony.close()
            raise
        return colony


def _left_by(colony: Colony) -> Legacy:
    """Return what ``colony`` leaves, and close it."""
    try:
        if isinstance(colony, Heritable):
            return colony.legacy()
        return Legacy(colony.snapshot(Wanted.SOLUTION), None)
    finally:
        colony.close()


def _for(edit: Edited | None, legacy: Legacy, before: Setting) -> Legacy:
    """Return what is left of ``legacy`` after the ``edit`` of the cities."""
    best = legacy.state.best_solution
    if edit is None or best is None:
        return legacy
    return legacy.on(*survivor(edit, best, before.instance), edit.former)


def surviving(state: Snapshot, edit: Edited, before: Setting) -> tuple[Solution, int]:
    """Return what is left of the best solution of ``state``, and its cost."""
    assert state.best_solution is not None
    return survivor(edit, state.best_solution, before.instance)


class RefusedChange(NamedTuple):
    """A change that was not made."""

    colony: Colony  # that goes on as before
    why: str


class MadeChange(NamedTuple):
    """A change that was made."""

    colony: Colony
    line: dict[str, object]  # for the log
    # what is left of the best solution, and its cost, where the cities have changed
    left: tuple[Solution, int] | None
    change: Change


class Changes:
    """The present setting of a run, and the changes that wait.

    :meth:`ask` may be called from any thread, and ``setting`` read.
    """

    def __init__(self, instance: Instance, session: Session) -> None:
        self.setting = Setting(instance, session.chosen, session.parameters, session.stop)
        # called with each change that was made, or with None for one that was refused
        self.observers: list[Callable[[Change | None], object]] = []
        self._begins = session.start is not None  # whether the colony is given a solution
        self._seed = session.seed
        self._place: ColonyPlace | None = None
        self._wanted: deque[Change] = deque()
        self._script = deque(sorted(session.changes, key=lambda one: one.iteration))

    def build(self, system: System, device: Device, start: Solution | None) -> Colony:
        """Build the first colony, which begins with ``start`` if that is given."""
        self._place = ColonyPlace(system, device, self._seed)
        return self._place.build(self.setting, start)

    def build_anew(self, colony: Colony, state: Snapshot) -> Colony:
        """Build what takes the place of ``colony``; see :meth:`ColonyPlace.anew`."""
        assert self._place is not None
        return self._place.anew(colony, self.setting, state)

    def ask(self, change: Change) -> None:
        """Ask for a change."""
        self._wanted.append(change)

    def recorded_due(self, made: int) -> bool:
        """Whether a change of a record comes after so many iterations."""
        return bool(self._script) and self._script[0].iteration <= made

    def due(self, made: int, *, midway: bool) -> bool:
        """Whether a change waits after so many iterations, and can be made.

        ``midway`` in an iteration only limits can change.
        """
        if midway:
            return bool(self._wanted) and _only_limits(self._wanted[0])
        return bool(self._wanted) or self.recorded_due(made)

    def room(self, made: int) -> float:
        """Return how many iterations may be made at once, so that a change comes in time."""
        if self._wanted:
            return 1
        return self._script[0].iteration - made if self._script else math.inf

    def make_next(self, colony: Colony, state: Snapshot) -> MadeChange | RefusedChange:
        """Make the next change that is due; ``state`` is that of the run."""
        recorded = self.recorded_due(state.iteration)
        waiting = self._script if recorded else self._wanted
        wanted = waiting.popleft()
        while not recorded and waiting and _only_cities(wanted) and _only_cities(waiting[0]):
            # to build one colony takes less time than to build several
            wanted = replace(wanted, cities=wanted.cities + waiting.popleft().cities)
        change, place, before = (
            replace(wanted, iteration=state.iteration),
            self._place,
            self.setting,
        )
        assert place is not None
        try:
            after, edit = before.changed(change)
            anew = edit is not None or (change.parameters and not _adjusted(colony, after, state))
            if anew:
                place.check_changeable(colony)
        except FormicariumError as error:
            return RefusedChange(colony, str(error))
        left = None
        if edit is not None and state.best_solution is not None:
            left = surviving(state, edit, before)
        if anew:
            start = left[0] if left else state.best_solution
            start = start if self._begins else None
            colony, failure = place.replace(colony, before, after, edit, state, start)
            if failure is not None:
                return RefusedChange(colony, str(failure))
        self.setting = after
        return MadeChange(colony, differences(change, before, after), left, change)


def _adjusted(colony: Colony, after: Setting, state: Snapshot) -> bool:
    """Let ``colony`` work with the new numbers; return whether it can."""
    if not state.iteration or not isinstance(colony, Adjustable):
        return False
    return colony.adjust(after.parameters)


def _only_limits(change: Change) -> bool:
    return not change.cities and not change.parameters


def _only_cities(change: Change) -> bool:
    return bool(change.cities) and not change.parameters and change.stop is None
