"""One process that does runs on one device, and the way in which it is spoken to."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from gpu.study.plan import PlannedRun
from gpu.study.record import Record

PAUSE, GO_ON, READY = "pause", "go on", "ready"
PATIENCE = 3.0  # seconds that a process has to end by itself

# Numba's threads and CUDA do not survive a fork. A new interpreter has neither.
_processes = multiprocessing.get_context("spawn")


@dataclass(eq=False)
class Lane:
    """A process for one device: it does one run at a time."""

    device: str  # its name: cpu:1, cpu, cuda:0, ...
    kind: str  # the kind of device, as plans name it
    run: PlannedRun | None = None  # which is under way
    process: BaseProcess | None = field(default=None, init=False)
    ready: bool = field(default=False, init=False)  # whether the process has begun to listen
    _pipe: Connection | None = field(default=None, init=False)

    def give(self, run: PlannedRun) -> None:
        """Begin ``run``, in a new process if there is none."""
        self.run = run
        if self.process is None:
            self._start()
        self.tell(run)

    def tell(self, message: PlannedRun | str) -> None:
        """Send a message; a process that has ended does not hear it."""
        if self._pipe is not None:
            try:
                self._pipe.send(message)
            except OSError:  # it has just ended, which is noticed elsewhere
                return

    @property
    def sources(self) -> list[Connection | int]:
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
                    self.run = None
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
            target=_serve, args=(theirs, self.device), name=f"study-{self.device}", daemon=True
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
        self.process = self._pipe = self.run = None
        self.ready = False


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Start processes that do not hear Ctrl-C or the end of the terminal: this one does."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    former = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, former)


def _serve(pipe: Connection, device: str) -> None:
    """Do runs until the other end is closed: the life of the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from gpu.study.workers.worker import Worker  # slow to import

    def gate() -> bool:
        paused = False
        while paused or pipe.poll():
            paused = pipe.recv() == PAUSE
        return True

    worker = Worker(device)
    pipe.send(READY)
    try:
        while True:
            message = pipe.recv()
            if isinstance(message, PlannedRun):
                record = worker.perform(message, gate)
                if record is not None:
                    pipe.send(record)
    except (EOFError, OSError):
        return


def _end_with_parent() -> None:
    """End this process as soon as its parent has ended, however that came."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
