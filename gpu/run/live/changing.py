"""Makes the changes of a run between two iterations: those asked for, and those of a record."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from gpu.core.colony import Colony
from gpu.core.errors import FormicariumError
from gpu.core.instance import Instance, Solution
from gpu.core.machine.devices import Device
from gpu.core.snapshot import Snapshot
from gpu.core.system import System
from gpu.run.changes import Change, Setting, differences
from gpu.run.live.succession import Place, surviving
from gpu.run.session import Session


class Refused(NamedTuple):
    """A change that was not made."""

    colony: Colony  # that goes on as before
    why: str


class Made(NamedTuple):
    """A change that was made."""

    colony: Colony
    line: dict[str, object]  # for the log
    # what is left of the best solution, and its cost, where the cities have changed
    left: tuple[Solution, int] | None
    change: Change


class Changes:
    """What a run works on and with now, and the changes that wait.

    :meth:`ask` may be called from any thread, and ``setting`` read.
    """

    def __init__(self, instance: Instance, session: Session) -> None:
        self.setting = Setting(instance, session.chosen, session.parameters, session.stop)
        # called with each change that was made, or with None for one that was refused
        self.observers: list[Callable[[Change | None], object]] = []
        self._begins = session.start is not None  # whether the colony is given a solution
        self._seed = session.seed
        self._place: Place | None = None
        self._wanted: deque[Change] = deque()
        self._script = deque(sorted(session.changes, key=lambda one: one.iteration))

    def build(self, system: System, device: Device, start: Solution | None) -> Colony:
        """Build the first colony, which begins with ``start`` if that is given."""
        self._place = Place(system, device, self._seed)
        return self._place.build(self.setting, start)

    def build_anew(self, colony: Colony, state: Snapshot) -> Colony:
        """Build what takes the place of ``colony``; see :meth:`Place.anew`."""
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

    def make_next(self, colony: Colony, state: Snapshot) -> Made | Refused:
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
            if change.parameters or edit is not None:
                place.check_changeable(colony)
        except FormicariumError as error:
            return Refused(colony, str(error))
        left = None
        if edit is not None and state.best_solution is not None:
            left = surviving(state, edit, before)
        if change.parameters or edit is not None:
            start = left[0] if left else state.best_solution
            start = start if self._begins else None
            colony, failure = place.replace(colony, before, after, edit, state, start)
            if failure is not None:
                return Refused(colony, str(failure))
        self.setting = after
        return Made(colony, differences(change, before, after), left, change)


def _only_limits(change: Change) -> bool:
    return not change.cities and not change.parameters


def _only_cities(change: Change) -> bool:
    return bool(change.cities) and not change.parameters and change.stop is None
