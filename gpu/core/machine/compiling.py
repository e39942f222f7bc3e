"""How far a compilation has come, and the process in which the window lets colonies be compiled."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from multiprocessing.process import BaseProcess
from typing import NamedTuple

from gpu.core.machine.code_files import remember_seconds, remembered_seconds
from gpu.core.machine.processes import Pipe, without_interrupts
from gpu.core.machine.processors import usable_cores


class Compiled(NamedTuple):
    """How far what is being compiled has come."""

    done: int  # functions
    needed: int  # these, and those that are still to come
    seconds: float = 0.0  # that it took the last time on this machine; 0 if that is not known

    @property
    def percent(self) -> int:
        """The share of the functions that are done."""
        return 100 * self.done // max(1, self.needed)


class GivenWayError(Exception):
    """A thread has stopped compiling because it should."""


class Compiling:
    """Counts the functions that are compiled. Any thread may ask for the count."""

    def __init__(self) -> None:
        self._parts: set[object] = set()  # of the function under way: those that are to come
        self._own: Compiled | None = None  # how far the function has come that this process makes
        self._by = 0  # the thread that compiles in it
        self._shown: dict[object, Compiled] = {}  # how far other processes have come
        self._lock = threading.Lock()
        # Functions of works that are shared out: in works that wait, and that are done; and in the
        # work that a thread does, by the thread. And the seconds that all took the last time.
        self._waiting = self._ended = 0
        self._sizes: dict[int, int] = {}
        self._seconds = 0.0
        self._over: dict[int, Callable[[], bool]] = {}  # whether a thread should stop
        self._given_way = threading.Event()
        # Calls a function that compiles in another process, if there is one, and returns whether
        # it came to its end. All is compiled ``elsewhere`` where nothing may hold up this process;
        # ``beside`` it, what can be compiled at the same time.
        self.elsewhere: Callable[..., bool] | None = None
        self.beside: Callable[..., bool] | None = None

    @contextmanager
    def until(self, over: Callable[[], bool]) -> Iterator[None]:
        """Compile in this thread until ``over()`` is true, and end then, without an error.

        It ends after the part that is under way. The parts that are done by then need not be
        compiled again in this process.
        """
        thread = threading.get_ident()
        self._over[thread] = over
        try:
            with suppress(GivenWayError):
                yield
        finally:
            del self._over[thread]

    def ahead(self) -> AbstractContextManager[None]:
        """Compile in this thread what nobody waits for yet, until somebody calls ``give_way``."""
        return self.until(self._given_way.is_set)

    def give_way(self) -> None:
        """Compile nothing ahead any more."""
        self._given_way.set()

    def check(self) -> None:
        """Raise GivenWayError if this thread should stop."""
        thread = threading.get_ident()
        over = self._over.get(thread)
        if over is not None and over():
            if self._by == thread:
                self.end()
            raise GivenWayError

    def begin(self, parts: Collection[object]) -> None:
        """Begin with a function, for which these others must be compiled first."""
        self._parts, self._by = set(parts), threading.get_ident()
        self._own = Compiled(0, len(self._parts) + 1)

    def note_part(self, part: object) -> None:
        """Note that ``part`` is compiled; one that is compiled for other types counts once."""
        if part in self._parts and self._own is not None:
            self._parts.discard(part)
            self._own = self._own._replace(done=self._own.done + 1)

    def end(self) -> None:
        """Note that the function under way is compiled, or given up."""
        self._own = None

    def show(self, count: Compiled | None, of: object = None) -> None:
        """Note how far another process has come; None if it compiles nothing."""
        thread = threading.get_ident()
        of = thread if thread in self._sizes else of
        if count is None:
            self._shown.pop(of, None)
        else:
            self._shown[of] = count

    def share(self, functions: int, seconds: float = 0.0) -> None:
        """Note works of so many functions that wait to be done; ``seconds`` is for all of them."""
        with self._lock:
            if not (self._waiting or self._sizes):
                self._ended, self._seconds = 0, 0.0
            self._waiting += functions
            self._seconds = max(self._seconds, seconds)

    def give_up(self, functions: int) -> None:
        """Note that works of so many functions do not wait any more."""
        with self._lock:
            self._waiting -= functions

    @contextmanager
    def work(self, functions: int) -> Iterator[None]:
        """Do one of these works, which compiles so many functions, in this thread."""
        thread = threading.get_ident()
        with self._lock:
            self._waiting -= functions
            self._sizes[thread] = functions
        try:
            yield
        finally:
            with self._lock:
                del self._sizes[thread]
                self._ended += functions

    @property
    def count(self) -> Compiled | None:
        """What is to be told of this process and the others; None if none compiles."""
        with self._lock:
            own, shown, sizes = self._own, dict(self._shown), dict(self._sizes)
            done, needed = self._ended, self._ended + self._waiting + sum(sizes.values())
            shared = bool(sizes or self._waiting)
        if own is not None:
            shown[self._by] = own
        counts = []
        if shared:
            for thread, functions in sizes.items():
                told = shown.pop(thread, None)
                done += 0 if told is None else functions * told.done // told.needed
            counts.append(Compiled(done, needed, self._seconds))
        counts += shown.values()
        if not counts:
            return None
        return Compiled(
            sum(one.done for one in counts),
            sum(one.needed for one in counts),
            max(one.seconds for one in counts),
        )

    @property
    def over(self) -> Callable[[], bool]:
        """Whether the calling thread should stop, for threads that work for it."""
        return self._over.get(threading.get_ident(), lambda: False)


COMPILING = Compiling()
"""Of this process: Numba compiles one function at a time."""


LOOK = 0.1
"""Seconds between two looks at how far the process is, and at whether anybody still waits."""

IDLE = 20.0
"""Seconds after which the process ends if nothing more is to be compiled."""

KILLED_PATIENCE = 5.0
"""Seconds until a process that was killed is gone."""

Work = tuple[Callable[..., object], tuple[object, ...]]
"""A function that compiles something, and its arguments."""

_processes = multiprocessing.get_context("spawn")


class CompilingProcess:
    """A process that compiles; it is started when it is needed, and again when it has ended.

    A compiler holds Python's lock most of the time, and leaves a million objects behind, at which
    the garbage collector looks while every thread waits: a window would stand still meanwhile. In
    a process of its own it holds up nothing, and all its memory goes when it ends.
    """

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
            except GivenWayError:  # nobody hears how far it comes from now on
                COMPILING.show(None, self)
                raise

    def does(self, function: Callable[..., object], *arguments: object) -> bool:
        """Whether that was asked for, and is under way."""
        return self._under_way == (function, arguments)

    @property
    def started(self) -> bool:
        """Whether there is a process."""
        return self._process is not None and self._process.is_alive()

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
                COMPILING.show(None, self)
                return told
            COMPILING.show(told, self)

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
        COMPILING.show(None, self)
        process, pipe = self._process, self._pipe
        self._process = self._pipe = self._under_way = None
        if pipe is not None:
            pipe.close()
        if process is not None and process.pid is not None:
            process.kill()
            process.join(KILLED_PATIENCE)


MOST_PROCESSES = 8
"""No colony has more parts that take long to compile; each process needs some 250 MB."""


def most_processes() -> int:
    """Return how many processes are worth it on this machine."""
    return min(usable_cores(), MOST_PROCESSES)


class CompilingProcesses:
    """So many processes at most that compile, each one thing at a time."""

    def __init__(self, count: int) -> None:
        self._all = [CompilingProcess() for _ in range(count)]
        self._free = list(self._all)
        self._freed = threading.Condition()

    def do(self, function: Callable[..., object], *arguments: object) -> bool:
        """Call ``function`` in one of them, and wait; see :meth:`CompilingProcess.do`."""
        with self._freed:
            while not self._free:
                COMPILING.check()
                self._freed.wait(LOOK)

            def rank(one: CompilingProcess) -> tuple[bool, bool]:
                return one.does(function, *arguments), one.started

            process = max(self._free, key=rank)
            self._free.remove(process)
        try:
            return process.do(function, *arguments)
        finally:
            with self._freed:
                self._free.append(process)
                self._freed.notify()

    def end(self) -> None:
        """End all of them, and what they do."""
        for process in self._all:
            process.end()


@contextmanager
def compiling_beside() -> Iterator[None]:
    """Compile in other processes, too, for a program that can be started again for each of them."""
    count = most_processes() - 1
    processes = CompilingProcesses(count)
    COMPILING.beside = processes.do if count else None
    try:
        yield
    finally:
        COMPILING.beside = None
        processes.end()


def share_out(works: Sequence[tuple[Work, int]], name: str) -> None:
    """Let other processes do some of ``works``, and this one the others; return when all are done.

    Each is told with the number of functions that it compiles, and keeps what it compiles. Where
    all is compiled elsewhere, this process does none of them. How long they take is remembered by
    their ``name``.
    """
    waiting = deque(works)
    if len(waiting) < 2:  # whoever needs it compiles it
        return
    helping = COMPILING.elsewhere or COMPILING.beside
    COMPILING.share(sum(size for _, size in works), remembered_seconds(name))
    begun = time.monotonic()
    from concurrent.futures import ThreadPoolExecutor  # not while the interpreter ends

    over, here = COMPILING.over, COMPILING.elsewhere is None
    others = range(0 if helping is None else len(waiting) - here)
    try:
        with ThreadPoolExecutor(max(1, len(others)), "compiling") as threads:
            helpers = [threads.submit(_hand_out, helping, waiting, over) for _ in others if helping]
            if here:
                _do_all(waiting, _call)
            for helper in helpers:
                helper.result()
    finally:
        COMPILING.give_up(sum(size for _, size in waiting))
    if not over():
        remember_seconds(name, time.monotonic() - begun)


def _hand_out(
    helping: Callable[..., bool], waiting: deque[tuple[Work, int]], over: Callable[[], bool]
) -> None:
    """Let another process do what is waiting, as long as there is something."""
    with COMPILING.until(over):
        _do_all(waiting, helping)


def _do_all(waiting: deque[tuple[Work, int]], do: Callable[..., object]) -> None:
    with suppress(IndexError):
        while True:
            (function, arguments), size = waiting.popleft()
            with COMPILING.work(size):
                do(function, *arguments)


def _call(function: Callable[..., object], *arguments: object) -> None:
    function(*arguments)


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
