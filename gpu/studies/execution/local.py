"""Does cases in processes of this machine: one a core, or one a GPU.

A process for a GPU may do several cases at once, each in a thread. So the GPU works on all of them
at the same time, and holds what they have in common once; kernels of several processes take turns.
"""

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
from typing import Any

from gpu.core.errors import DeviceError, ParameterError, sentence_for
from gpu.core.machine import devices
from gpu.core.machine.processes import Pipe, wait, without_interrupts
from gpu.core.machine.processors import usable_cores
from gpu.studies.cases import FAILED, Case, CaseRecord, failed
from gpu.studies.design import MEASURE_PHASES
from gpu.studies.execution.executor import (
    ATTEMPTS,
    PROCESS_LOST_TWICE,
    BatchControl,
    CaseEvents,
    Executor,
    ExecutorError,
)

PAUSE, GO_ON, LISTENING = "pause", "go on", "listening"
END_PATIENCE = 3.0  # seconds that a process has to end by itself
CONTROL_EVERY = 0.1  # seconds after which the switches are looked at again

# Numba's threads and CUDA do not survive a fork. A new interpreter has neither.
_processes = multiprocessing.get_context("spawn")


class LocalExecutor(Executor):
    """Processes of this machine.

    Cases on one core have a process for each core, at most ``processes``. Cases on a GPU have
    one process for each GPU, which does ``gpu_runs`` at once and needs a core, too; those whose
    phases are timed have the GPU for themselves. Cases on all cores, and those that are alone, have
    a process one by one.
    """

    def __init__(
        self,
        processes: int | None = None,
        gpu_runs: int = 1,
        control: BatchControl | None = None,
    ) -> None:
        super().__init__(control)
        for name, value in (("processes", processes), ("gpu_runs", gpu_runs)):
            if value is not None and value < 1:
                raise ParameterError(f"{name} = {value} must be at least 1")
        self._processes = processes
        self._gpu_runs = gpu_runs
        self._gpus: tuple[str, ...] | None = None

    def check(self, cases: Sequence[Case]) -> None:
        """Raise DeviceError if there is no GPU and some of ``cases`` need one."""
        if any(case.device == "cuda" for case in cases) and not self._cuda():
            why = devices.survey().without_cuda
            raise DeviceError(f"the study has runs on GPUs, and there is none here ({why})")

    def at_once(self, device: str) -> int:
        """How many cases on this kind of device are done at once."""
        if device == "cuda":
            return max(1, len(self._cuda()) * self._gpu_runs)
        return 1 if device == "cpu" else self._processes or usable_cores()

    def _results(self, cases: Sequence[Case], place: Any) -> CaseEvents:
        workers = self._workers(cases)
        waiting: dict[str, deque[Case]] = {worker.kind: deque() for worker in workers}
        for case in cases:
            waiting[case.device].append(case)
        cost = Counter[str]()  # processes that each case has cost
        paused = False

        def alone(case: Case) -> bool:
            """Whether nothing may run beside it: its phases are timed, or it ended a process."""
            return case.measure == MEASURE_PHASES or cost[case.key] > 0

        try:
            while not self.control.cancelled:
                busy = [worker for worker in workers if worker.cases]
                if not busy and not any(waiting.values()):
                    return
                if self.control.paused != paused:
                    paused = self.control.paused
                    for worker in busy:
                        worker.tell(PAUSE if paused else GO_ON)
                for worker in workers:
                    left = waiting[worker.kind]
                    while not paused and left and worker.takes(alone=alone(left[0])):
                        case = left.popleft()
                        yield case, "begun"
                        worker.give(case, alone=alone(case))
                sources = [source for worker in workers for source in worker.sources]
                if sources and (not paused or any(worker.cases for worker in workers)):
                    wait(sources, CONTROL_EVERY)
                else:
                    self.control.wait(CONTROL_EVERY)
                for worker in workers:
                    dead = worker.dead
                    yield from worker.heard()  # also what it sent before its end
                    for case in reversed(worker.reap()) if dead else ():
                        cost[case.key] += 1
                        if cost[case.key] < ATTEMPTS:
                            waiting[worker.kind].appendleft(case)
                            yield case, "lost"
                        else:
                            yield case, failed(case.key, PROCESS_LOST_TWICE)
        finally:
            for worker in workers:
                worker.end()

    def _workers(self, cases: Sequence[Case]) -> list[WorkerProcess]:
        wanted = Counter(str(case.device) for case in cases)
        if cases[0].needs == "cpu":  # then all do, and are of one kind
            (kind,) = wanted
            name = self._cuda()[0] if kind == "cuda" else kind
            return [WorkerProcess(name, kind, beside={kind: 1})]
        gpus = self._cuda() if wanted["cuda"] else ()
        cores = self._processes or max(1, usable_cores() - len(gpus))
        cores = min(cores, wanted["cpu:1"])
        each = {"cuda": len(gpus) * self._gpu_runs, "cpu:1": cores}
        beside = {kind: count for kind, count in each.items() if count}
        on_gpu = {**beside, "cuda": self._gpu_runs}  # runs on other GPUs take nothing of this one
        workers = [WorkerProcess(name, "cuda", self._gpu_runs, on_gpu) for name in gpus]
        return workers + [WorkerProcess("cpu:1", "cpu:1", beside=beside) for _ in range(cores)]

    def _cuda(self) -> tuple[str, ...]:
        if self._gpus is None:
            found = devices.survey().devices
            self._gpus = tuple(one.name for one in found if one.kind == "cuda")
        return self._gpus


@dataclass(eq=False)
class WorkerProcess:
    """A process for one device, which is started for its first case."""

    device: str  # its name: cpu:1, cpu, cuda:0, ...
    kind: str  # the kind of device, as plans name it
    room: int = 1  # cases at once
    beside: Mapping[str, int] = field(default_factory=dict)  # cases at once, by kind of device
    cases: dict[str, Case] = field(default_factory=dict)  # which are under way, by their keys
    process: BaseProcess | None = field(default=None, init=False)
    _alone: bool = field(default=False, init=False)  # whether its case must have none beside it
    _listens: bool = field(default=False, init=False)  # whether the process has said that it does
    _pipe: Pipe | None = field(default=None, init=False)

    def give(self, case: Case, *, alone: bool = False) -> None:
        """Begin ``case``, in a new process if there is none; ExecutorError if that cannot be."""
        self._alone = alone
        self.cases[case.key] = case
        if self.process is None:
            try:
                self._start()
            except OSError as error:
                raise ExecutorError(
                    f"no process for {self.device} can be started ({sentence_for(error)}): try "
                    "fewer at once with --processes"
                ) from error
        self.tell(case)

    def takes(self, *, alone: bool) -> bool:
        """Whether it can be given one more case, which must be ``alone`` or need not be."""
        return not self.cases or (len(self.cases) < self.room and not (alone or self._alone))

    def tell(self, message: Case | str) -> None:
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

    def heard(self) -> Iterator[tuple[Case, CaseRecord]]:
        """Yield the cases that have ended, with their records."""
        try:
            while self._pipe is not None and self._pipe.poll():
                message = self._pipe.recv()
                self._listens = True
                if isinstance(message, CaseRecord):
                    yield self.cases.pop(message.key), message
        except (EOFError, OSError):
            return  # it has ended

    @property
    def dead(self) -> bool:
        """Whether the process has ended by itself, or was killed."""
        return self.process is not None and not self.process.is_alive()

    def reap(self) -> list[Case]:
        """Forget a dead process, and return its cases; ExecutorError if none can be started."""
        assert self.process is not None
        cases, status = list(self.cases.values()), self.process.exitcode or 0
        if not self._listens and status > 0:  # a signal's number would be negative
            raise ExecutorError(
                f"the process for {self.device} cannot start (exit status {status}): see whether "
                f"formicarium solve ring-50 --device {self.device} works"
            )
        self._forget()
        return cases

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
        process = _processes.Process(
            target=_serve,
            args=(theirs, self.device, self.room, self.beside),
            name=f"study-{self.device}",
            daemon=True,
        )
        try:
            with without_interrupts():
                process.start()
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()  # so that this end hears when the process ends
        # no sooner: one that is not started cannot be ended
        self.process, self._pipe = process, ours

    def _forget(self) -> None:
        assert self.process is not None
        assert self._pipe is not None
        self._pipe.close()
        self.process.close()
        self.process = self._pipe = None
        self.cases.clear()
        self._listens = False


def _serve(pipe: Pipe, device: str, room: int, beside: Mapping[str, int]) -> None:
    """Do cases until the other end is closed: the life of the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from gpu.studies.execution.worker import Worker  # slow to import

    worker, sending, going = Worker(device, beside), threading.Lock(), threading.Event()
    under_way: set[str] = set()
    going.set()

    def perform(case: Case) -> None:
        under_way.add(case.key)
        try:
            record = worker.perform(case, going.wait)
        except BaseException:  # it goes no further in this process
            traceback.print_exc()
            os._exit(1)
        with sending:
            usable = record is None or record.state != FAILED or worker.usable
            # If the GPU has failed, nobody knows for which of its cases: each is tried again alone.
            if record is not None and (usable or len(under_way) == 1):
                pipe.send(record)
            if not usable:
                os._exit(0)
            under_way.discard(case.key)

    pipe.send(LISTENING)
    with ThreadPoolExecutor(room) as threads:
        try:
            while True:
                message = pipe.recv()
                if isinstance(message, Case):
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
