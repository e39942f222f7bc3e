"""Sees where the thread of the window is while it works long without a pause."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections import Counter
from pathlib import Path

from app.window.process.stall_meter import StallMeter

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
