"""Sees where the thread of the window is while it works long without a pause."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from app.window.event_loop import StallMeter

ROOT = Path(__file__).resolve().parents[2]
OWN = tuple(str(ROOT / room) for room in ("app", "gpu", "views", "tests"))
OFTEN = 0.004  # seconds between two looks
BRIEF = 0.015  # seconds of work that are not looked into
DEEP = 6  # calls that are named, the innermost first
PLACES = 3  # that are named of a stall


class Watcher(threading.Thread):
    """Counts in which calls the watched thread works between two ticks of a stall meter."""

    def __init__(self, meter: StallMeter) -> None:
        super().__init__(name="watcher", daemon=True)
        self._meter, self._watched = meter, threading.get_ident()
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._worst: tuple[float, Counter[str]] = (0.0, Counter())  # seconds of work, places

    def begin(self) -> None:
        """Forget what was seen: another action begins."""
        with self._lock:
            self._worst = 0.0, Counter()

    @property
    def places(self) -> list[str]:
        """Where the thread was in its longest work since :meth:`begin`, with shares of it."""
        with self._lock:
            seen = self._worst[1].copy()
        whole = max(1, sum(seen.values()))
        return [f"{100 * n // whole} % {where}" for where, n in seen.most_common(PLACES)]

    def run(self) -> None:
        """Look until :meth:`end`."""
        tick, seen = 0.0, Counter[str]()
        while not self._over.wait(OFTEN):
            if self._meter.last != tick:
                tick, seen = self._meter.last, Counter()
            work = _seconds_of(self._watched) - self._meter.worked
            if work < BRIEF:
                continue
            where = _where(self._watched)
            with self._lock:
                seen[where] += 1
                if work > self._worst[0]:
                    self._worst = work, seen

    def end(self) -> None:
        """Stop looking."""
        self._over.set()
        self.join()


def _seconds_of(thread: int) -> float:
    """Return the seconds of a processor that another thread has used; only Linux tells them."""
    if sys.platform == "linux":
        return time.clock_gettime(time.pthread_getcpuclockid(thread))
    raise NotImplementedError


def _where(thread: int) -> str:
    """Return the innermost calls of the program; no line of a file is read, which would be kept."""
    # All at once: while the thread works on, Python 3.11 may follow its calls to anything.
    calls = [
        (one.f_code, line) for one, line in traceback.walk_stack(sys._current_frames()[thread])
    ]
    own = [(code, line) for code, line in calls if code.co_filename.startswith(OWN)]
    return " < ".join(f"{Path(one.co_filename).stem}:{at} {one.co_name}" for one, at in own[:DEEP])


LONG = 0.1  # seconds after which a stall is reported


@dataclass(frozen=True, slots=True)
class Stall:
    """A time in which the window did not answer."""

    seconds: float
    worked: float  # seconds in which the window's thread worked itself, as a rule the cause
    action: str  # what was done
    places: list[str]  # where the thread was


@dataclass
class Findings:
    """What the monkey found."""

    errors: list[str] = field(default_factory=list)  # what asks to be reported
    stalls: list[Stall] = field(default_factory=list)
    memory: list[tuple[int, float]] = field(default_factory=list)  # actions, MB
    done: list[str] = field(default_factory=list)
    running: int = 0  # actions during which a run went on
    commands: list[str] = field(default_factory=list)  # of the menus, that were never chosen
    unused: list[str] = field(default_factory=list)  # controls that were in sight, but not used
    unseen: list[str] = field(default_factory=list)  # controls that were never in sight
    threads: list[str] = field(default_factory=list)  # that outlived the window

    @property
    def most_work(self) -> float:
        """Seconds that the window's thread worked in one stall, at most."""
        return max((one.worked for one in self.stalls), default=0.0)

    def told(self) -> Iterator[str]:
        """Yield what was found, line by line."""
        for one in sorted(self.stalls, key=lambda one: one.worked):
            yield f"{1000 * one.worked:.0f} ms of work in {1000 * one.seconds:.0f} ms: {one.action}"
            yield from (f"    {place}" for place in one.places)
        long = sum(one.worked > LONG for one in self.stalls)
        yield f"{len(self.stalls)} stalls of more than {1000 * LONG:.0f} ms, {long} of so much work"
        yield f"a run went on in {100 * self.running // max(1, len(self.done))} % of the actions"
        for names, what in (
            (self.commands, "commands never chosen"),
            (self.unused, "controls in sight, never used"),
            (self.unseen, "controls never in sight"),
            (self.threads, "threads that outlived the window"),
        ):
            yield f"{what}: {len(names)}"
            yield from (f"    {name}" for name in names)
        yield from self.errors
