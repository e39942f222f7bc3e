"""Does the runs of a study in processes of this machine: one a core, or one a GPU."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence

from gpu.batch.control import Control
from gpu.batch.design import PHASES
from gpu.batch.lane import GO_ON, PAUSE, Lane
from gpu.batch.plan import PlannedRun
from gpu.batch.record import failed
from gpu.batch.runner import ATTEMPTS, GIVEN_UP, Listener, RunnerError
from gpu.core.errors import DeviceError, ParameterError, sentence_for
from gpu.core.machine import devices
from gpu.core.machine.processes import wait
from gpu.core.machine.processors import usable_cores

TICK = 0.1  # seconds after which the switches are looked at again


class LocalRunner:
    """Processes of this machine.

    Runs on one core have a process for each core, at most ``processes``. Runs on a GPU have
    one process for each GPU, which does ``gpu_runs`` at once and needs a core, too; those whose
    phases are timed have the GPU for themselves. Runs on all cores come last, one after the other,
    with nothing beside them.
    """

    def __init__(self, processes: int | None = None, gpu_runs: int = 1) -> None:
        for name, value in (("processes", processes), ("gpu_runs", gpu_runs)):
            if value is not None and value < 1:
                raise ParameterError(f"{name} = {value} must be at least 1")
        self._processes = processes
        self._gpu_runs = gpu_runs
        self._gpus: tuple[str, ...] | None = None

    def check(self, runs: Sequence[PlannedRun]) -> None:
        """Raise DeviceError if there is no GPU and some of ``runs`` need one."""
        if any(run.configuration.device == "cuda" for run in runs) and not self._cuda():
            why = devices.survey().without_cuda
            raise DeviceError(f"the study has runs on GPUs, and there is none here ({why})")

    def at_once(self, device: str) -> int:
        """How many runs on this kind of device are done at once."""
        if device == "cuda":
            return max(1, len(self._cuda()) * self._gpu_runs)
        return 1 if device == "cpu" else self._processes or usable_cores()

    def perform(self, runs: Sequence[PlannedRun], control: Control, listener: Listener) -> None:
        """Do all ``runs``; see :class:`gpu.batch.runner.Runner`."""
        self.check(runs)
        single = [run for run in runs if run.configuration.device != "cpu"]
        whole = [run for run in runs if run.configuration.device == "cpu"]
        for some in (single, whole):
            if some and not control.cancelled:
                _Work(self._lanes(some), some, control, listener).perform()

    def _lanes(self, runs: Sequence[PlannedRun]) -> list[Lane]:
        wanted = Counter(str(run.configuration.device) for run in runs)
        gpus = self._cuda() if wanted["cuda"] else ()
        cores = self._processes or max(1, usable_cores() - len(gpus))
        cores = min(cores, wanted["cpu:1"])
        each = {"cuda": len(gpus) * self._gpu_runs, "cpu:1": cores}
        beside = {kind: count for kind, count in each.items() if count} or {"cpu": 1}
        lanes = [Lane(name, "cuda", self._gpu_runs, beside) for name in gpus]
        lanes += [Lane("cpu:1", "cpu:1", beside=beside) for _ in range(cores)]
        return lanes or [Lane("cpu", "cpu", beside=beside)]

    def _cuda(self) -> tuple[str, ...]:
        if self._gpus is None:
            found = devices.survey().devices
            self._gpus = tuple(one.name for one in found if one.kind == "cuda")
        return self._gpus


class _Work:
    """Runs that are done by several lanes at once."""

    def __init__(
        self,
        lanes: Sequence[Lane],
        runs: Sequence[PlannedRun],
        control: Control,
        listener: Listener,
    ) -> None:
        self._lanes = lanes
        self._control = control
        self._listener = listener
        self._waiting: dict[str, deque[PlannedRun]] = {lane.kind: deque() for lane in lanes}
        for run in runs:
            self._waiting[run.configuration.device].append(run)
        self._ended = Counter[str]()  # processes that each run has cost
        self._paused = False

    def perform(self) -> None:
        try:
            while not self._control.cancelled and (self._busy or any(self._waiting.values())):
                self._obey()
                for lane in self._lanes:
                    while not self._paused and self._can_begin(lane):
                        self._begin(lane)
                sources = [source for lane in self._lanes for source in lane.sources]
                if sources and (self._busy or not self._paused):
                    wait(sources, TICK)
                else:
                    self._control.wait(TICK)
                for lane in self._lanes:
                    self._hear(lane)
        finally:
            for lane in self._lanes:
                lane.end()

    @property
    def _busy(self) -> bool:
        return any(lane.runs for lane in self._lanes)

    def _obey(self) -> None:
        if self._control.paused != self._paused:
            self._paused = self._control.paused
            for lane in self._lanes:
                if lane.runs:
                    lane.tell(PAUSE if self._paused else GO_ON)

    def _can_begin(self, lane: Lane) -> bool:
        waiting = self._waiting[lane.kind]
        return bool(waiting) and lane.takes(alone=self._alone(waiting[0]))

    def _alone(self, run: PlannedRun) -> bool:
        """Whether nothing may run beside it: its phases are timed, or it has ended a process."""
        return run.measure == PHASES or self._ended[run.key] > 0

    def _begin(self, lane: Lane) -> None:
        run = self._waiting[lane.kind].popleft()
        self._listener.begun(run)
        try:
            lane.give(run, alone=self._alone(run))
        except OSError as error:
            raise RunnerError(
                f"no process for {lane.device} can be started ({sentence_for(error)}): try fewer "
                "at once with --processes"
            ) from error

    def _hear(self, lane: Lane) -> None:
        for record in lane.heard():
            self._listener.ended(record)
        if not lane.dead:
            return
        for record in lane.heard():  # what it sent before its end
            self._listener.ended(record)
        runs, begun = list(lane.runs.values()), lane.ready
        status = lane.bury()
        if not begun and status > 0:  # a signal's number would be negative
            raise RunnerError(
                f"the process for {lane.device} cannot start (exit status {status}): see whether "
                f"formicarium solve ring-50 --device {lane.device} works"
            )
        for run in reversed(runs):
            self._ended[run.key] += 1
            if self._ended[run.key] < ATTEMPTS:
                self._waiting[lane.kind].appendleft(run)
                self._listener.lost(run)
            else:
                self._listener.ended(failed(run.key, GIVEN_UP))
