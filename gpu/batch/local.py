"""Does the runs of a study in processes of this machine: one a core, or one a GPU."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import traceback
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess

from gpu.batch.design import PHASES
from gpu.batch.executor import ATTEMPTS, GIVEN_UP, Control, Listener, RunnerError
from gpu.batch.plan import PlannedRun
from gpu.batch.results import FAILED, Record, failed
from gpu.core.errors import DeviceError, ParameterError, sentence_for
from gpu.core.machine import devices
from gpu.core.machine.processes import Pipe, wait, without_interrupts
from gpu.core.machine.processors import usable_cores

PAUSE, GO_ON, READY = "pause", "go on", "ready"
END_PATIENCE = 3.0  # seconds that a process has to end by itself

# Numba's threads and CUDA do not survive a fork. A new interpreter has neither.
_processes = multiprocessing.get_context("spawn")


@dataclass(eq=False)
class Lane:
    """A process for one device."""

    device: str  # its name: cpu:1, cpu, cuda:0, ...
    kind: str  # the kind of device, as plans name it
    room: int = 1  # runs at once
    beside: Mapping[str, int] = field(default_factory=dict)  # runs at once, by kind of device
    runs: dict[str, PlannedRun] = field(default_factory=dict)  # which are under way, by their keys
    alone: bool = False  # whether the run under way must have no others beside it
    process: BaseProcess | None = field(default=None, init=False)
    ready: bool = field(default=False, init=False)  # whether the process has begun to listen
    _pipe: Pipe | None = field(default=None, init=False)

    def give(self, run: PlannedRun, *, alone: bool = False) -> None:
        """Begin ``run``, in a new process if there is none."""
        self.alone = alone
        self.runs[run.key] = run
        if self.process is None:
            self._start()
        self.tell(run)

    def takes(self, *, alone: bool) -> bool:
        """Whether it can be given one more run, which must be ``alone`` or need not be."""
        return not self.runs or (len(self.runs) < self.room and not (alone or self.alone))

    def tell(self, message: PlannedRun | str) -> None:
        """Send a message; a process that has ended does not hear it."""
        if self._pipe is not None:
            try:
                self._pipe.send(message)
            except OSError:  # it has just ended, which is noticed elsewhere
                return

    @property
    def sources(self) -> list[Pipe | int]:
        """What becomes readable when :meth:`heard` has something to return."""
        if self.process is None or self._pipe is None:
            return []
        return [self._pipe, self.process.sentinel]

    def heard(self) -> Iterator[Record]:
        """Yield the records that have arrived."""
        try:
            while self._pipe is not None and self._pipe.poll():
                message = self._pipe.recv()
                self.ready = True
                if isinstance(message, Record):
                    self.runs.pop(message.key, None)
                    yield message
        except (EOFError, OSError):
            return  # it has ended

    @property
    def dead(self) -> bool:
        """Whether the process has ended by itself, or was killed."""
        return self.process is not None and not self.process.is_alive()

    def bury(self) -> int:
        """Forget a dead process, and return its exit status, negative for a signal."""
        assert self.process is not None
        status = self.process.exitcode or 0
        self._forget()
        return status

    def end(self) -> None:
        """End the process at once: what it works on is given up."""
        if self.process is not None:
            self.process.terminate()
            self.process.join(END_PATIENCE)
            if self.process.is_alive():
                self.process.kill()
                self.process.join()
            self._forget()

    def _start(self) -> None:
        ours, theirs = _processes.Pipe()
        self.process = _processes.Process(
            target=_serve,
            args=(theirs, self.device, self.room, self.beside),
            name=f"study-{self.device}",
            daemon=True,
        )
        with without_interrupts():
            self.process.start()
        theirs.close()  # so that this end hears when the process ends
        self._pipe = ours

    def _forget(self) -> None:
        assert self.process is not None
        assert self._pipe is not None
        self._pipe.close()
        self.process.close()
        self.process = self._pipe = None
        self.runs.clear()
        self.ready = False


def _serve(pipe: Pipe, device: str, room: int, beside: Mapping[str, int]) -> None:
    """Do runs until the other end is closed: the life of the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from gpu.batch.worker import Worker  # slow to import

    worker, sending, going = Worker(device, beside), threading.Lock(), threading.Event()
    under_way: set[str] = set()
    going.set()

    def gate() -> bool:
        return going.wait()

    def perform(run: PlannedRun) -> None:
        under_way.add(run.key)
        try:
            record = worker.perform(run, gate)
        except BaseException:  # it goes no further in this process
            traceback.print_exc()
            os._exit(1)
        with sending:
            usable = record is None or record.state != FAILED or worker.usable
            # If the GPU has failed, nobody knows for which of its runs: each is tried again alone.
            if record is not None and (usable or len(under_way) == 1):
                pipe.send(record)
            if not usable:
                os._exit(0)
            under_way.discard(run.key)

    pipe.send(READY)
    with ThreadPoolExecutor(room) as threads:
        try:
            while True:
                message = pipe.recv()
                if isinstance(message, PlannedRun):
                    threads.submit(perform, message)
                elif message == PAUSE:
                    going.clear()
                else:
                    going.set()
        except (EOFError, OSError):
            os._exit(0)  # nobody wants what is under way


def _end_with_parent() -> None:
    """End this process as soon as its parent has ended, however that came."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    multiprocessing.connection.wait([parent.sentinel])
    os._exit(1)


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
        """Do all ``runs``; see :class:`gpu.batch.executor.Runner`."""
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
