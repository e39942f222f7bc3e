"""A colony takes the place of another one, in the middle of a run that is changed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gpu import catalog
from gpu.core.colony import Colony
from gpu.core.errors import FormicariumError, ParameterError
from gpu.core.history import History
from gpu.core.instance import Edited, Solution
from gpu.core.legacy import Heritable, KeptTrails, Legacy
from gpu.core.machine.devices import Device
from gpu.core.snapshot import Snapshot, Wanted
from gpu.core.system import System, place_of
from gpu.core.trails import KnownTrails
from gpu.run.changes import Setting, survivor
from gpu.run.live.continued import Continued, seed_after


class Place(NamedTuple):
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
        start: Solution | None,  # with which a colony begins that has made no iteration
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
