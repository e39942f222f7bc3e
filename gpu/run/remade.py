"""A recorded run that is made again, to look into iterations of which too little was recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gpu.core.errors import FormicariumError
from gpu.core.formats import whole
from gpu.core.instance import Instance
from gpu.core.snapshot import MOST_WALKED, RunState, Wanted
from gpu.core.system import System
from gpu.run.log.recorded import repeated
from gpu.run.log.run_log import RunLog
from gpu.run.run import Run


class RemadeError(FormicariumError):
    """An iteration that could not be made again as it was."""


class Remade(NamedTuple):
    """An iteration that was made again."""

    instance: Instance  # what was solved then
    state: RunState  # after it


def ants_walk(system: System, instance: Instance) -> bool:
    """Whether ants of ``system`` can be seen at work on ``instance``."""
    return system.walks and instance.n <= MOST_WALKED and instance.n == instance.real_n


class RemadeRun:
    """Makes the run of a log again, with its seed and the changes that were made meanwhile.

    Call all methods from one thread. DeviceError if the run's device is not here, SessionError if
    nothing was recorded of it.
    """

    def __init__(self, log: RunLog, instance: Instance) -> None:
        self._log = log
        self._run = Run(instance, repeated(log))
        self._built = False

    def at(
        self,
        iteration: int,
        wanted: Wanted,
        after_slice: Callable[[int], object] = lambda _: None,
    ) -> Remade:
        """Make the run until an ``iteration``, not before that of the last call; look at it.

        ``after_slice`` is called now and then with the iterations that are made; what it raises is
        raised here. RemadeError if the run fails, or finds something else than it did.
        """
        run = self._run
        if not self._built:
            self._built = True
            run.build()
        while run.state.iteration < iteration and run.outcome is None:
            run.advance(at_most=iteration - run.state.iteration)
            after_slice(run.state.iteration)
        state = run.snapshot(wanted)
        if state.iteration != iteration:
            why = "it ends before it" if run.outcome is None else run.outcome.reason
            raise RemadeError(f"iteration {whole(iteration)} cannot be made again: {why}")
        self._check(iteration)
        return Remade(run.instance, state)

    @property
    def last(self) -> int:
        """The last iteration that was recorded; 0 if there is none."""
        return 0 if self._log.last is None else int(self._log.last["iteration"])

    def close(self) -> None:
        """Free the colony."""
        self._run.close()

    def _check(self, iteration: int) -> None:
        """Raise RemadeError unless the last improvement is the one that was recorded."""
        edited = [one.iteration for one in self._log.made if one.cities]
        since = max((one for one in edited if one <= iteration), default=0)
        known = [
            (line["iteration"], line["best"])
            for line in self._log.records
            if line["kind"] == "improvement" and since < line["iteration"] <= iteration
        ]
        found = {one.iteration: one.cost for one in self._run.improvements}
        if known and found.get(known[-1][0]) != known[-1][1]:
            raise RemadeError(
                f"{self._log.path.name}: made again, iteration {whole(known[-1][0])} found "
                "something else than was recorded, perhaps by another version"
            )
