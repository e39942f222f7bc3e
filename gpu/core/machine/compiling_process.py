"""A process beside this one that compiles.

A compiler holds Python's lock most of the time, and leaves a million objects behind, at which the
garbage collector looks while every thread waits. A window would stand still meanwhile, now and then
for a fifth of a second. In a process of its own the compiler holds up nothing, and all its memory
goes when it ends.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing.process import BaseProcess

from gpu.core.machine.compiling import COMPILING
from gpu.core.machine.processes import Pipe, without_interrupts

LOOK = 0.1
"""Seconds between two looks at how far the process is, and at whether anybody still waits."""

IDLE = 20.0
"""Seconds after which the process ends if nothing more is to be compiled."""

PATIENCE = 5.0
"""Seconds until a process that was killed is gone."""

Work = tuple[Callable[..., object], tuple[object, ...]]
"""A function that compiles something, and its arguments."""

_processes = multiprocessing.get_context("spawn")


class CompilingProcess:
    """Starts the process when it is first needed, and again when it has ended."""

    def __init__(self) -> None:
        self._one_at_a_time = threading.Lock()
        self._process: BaseProcess | None = None
        self._pipe: Pipe | None = None
        self._under_way: Work | None = None  # not yet done

    def do(self, function: Callable[..., object], *arguments: object) -> bool:
        """Call ``function`` in the process, and wait; return whether it came to its end.

        Where the wait is given up, the process goes on, and is waited for if the same is wanted
        again.

        Parameters
        ----------
        function, *arguments : what can be pickled

        Raises
        ------
        GivenWayError
            If the calling thread should stop; see ``until`` of :data:`COMPILING`.
        """
        work = function, arguments
        with self._one_at_a_time:
            try:
                return self._wait_for(work)
            except (EOFError, OSError):  # the process has ended, or cannot be started
                self._forget()
                return False

    def end(self) -> None:
        """End the process, and what it does."""
        process = self._process
        if process is not None:
            process.kill()  # whoever waits for it hears of it

    def _wait_for(self, work: Work) -> bool:
        if self._under_way not in (None, work):  # nobody waits for that any more
            self._forget()
        if self._process is None or not self._process.is_alive():
            self._start()
        assert self._pipe is not None
        if self._under_way is None:
            self._pipe.send(work)
            self._under_way = work
        while True:
            while not self._pipe.poll(LOOK):
                COMPILING.check()
            told = self._pipe.recv()
            if isinstance(told, bool):
                self._under_way = None
                COMPILING.show(None)
                return told
            COMPILING.show(told)

    def _start(self) -> None:
        self._forget()
        self._pipe, theirs = _processes.Pipe()
        process = _processes.Process(target=_serve, args=(theirs,), name="compiler", daemon=True)
        try:
            with without_interrupts():
                process.start()
        finally:
            theirs.close()  # so that this end hears when the process ends
        self._process = process  # no sooner: one that is not started cannot be killed

    def _forget(self) -> None:
        COMPILING.show(None)
        process, pipe = self._process, self._pipe
        self._process = self._pipe = self._under_way = None
        if pipe is not None:
            pipe.close()
        if process is not None and process.pid is not None:
            process.kill()
            process.join(PATIENCE)


def _serve(pipe: Pipe) -> None:
    """Compile what is asked for: the life of the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()  # the process ends before its garbage does harm
    try:
        while pipe.poll(IDLE):
            function, arguments = pipe.recv()
            done = threading.Event()
            telling = threading.Thread(target=_tell, args=(pipe, done), daemon=True)
            telling.start()
            compiled = _comes_to_its_end(function, arguments)
            done.set()
            telling.join()
            pipe.send(compiled)
    except (EOFError, OSError):  # the other end is closed
        return


def _tell(pipe: Pipe, done: threading.Event) -> None:
    """Tell how much is compiled, whenever it is more."""
    told = None
    while not done.wait(LOOK):
        if (count := COMPILING.count) != told:
            try:
                pipe.send(count)
            except OSError:  # nobody wants it any more
                os._exit(1)
            told = count


def _comes_to_its_end(function: Callable[..., object], arguments: tuple[object, ...]) -> bool:
    try:
        function(*arguments)
    except Exception:  # the process that asked compiles it itself, and hears of the error
        return False
    return True
