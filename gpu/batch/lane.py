"""One process that does runs on one device, and the way in which it is spoken to.

A process for a GPU may do several runs at once, each in a thread. So the GPU works on all of them
at the same time, and holds what they have in common once; kernels of several processes take turns.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess

from gpu.batch.plan import PlannedRun
from gpu.batch.record import Record
from gpu.batch.results import FAILED
from gpu.core.machine.processes import Pipe, without_interrupts

PAUSE, GO_ON, READY = "pause", "go on", "ready"
PATIENCE = 3.0  # seconds that a process has to end by itself

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
            self.process.join(PATIENCE)
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
    wait([parent.sentinel])
    os._exit(1)
