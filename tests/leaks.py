"""Fail a test that leaves a thread, a running timer or a top-level widget behind.

Nothing is excused by name. Numba's workers are native threads that Python does not list, so they
need no exception; neither do threads, timers and widgets that stood before the test began, which
belong to a fixture of wider scope, nor the timers, menus and dialogs of a window that stood before.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import sys
import threading
import weakref
from collections.abc import Collection, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import PATIENCE, until

_known: weakref.WeakSet[Any] = weakref.WeakSet()
"""Every QThread and QTimer that was ever seen."""

_unseen = [True]
"""Whether there may be objects that no test has made: of imports, or of fixtures of wider scope."""

_MANY = 300
"""So many QThreads and QTimers more are worth a look at all objects, which takes 0.5 s: they are of
ten windows that tests shared. What is older than a test is never looked at for garbage else."""

_kept = [0]
"""How many there were after the last such look."""

_failed = pytest.StashKey[bool]()

_SOON = 1.0
"""Seconds in which threads end that have nothing to do, as that which draws pictures."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember failures: the traceback of one keeps alive what the test could not close."""
    report = yield
    item.stash[_failed] = item.stash.get(_failed, False) or report.failed
    return report


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
    """Note that a fixture of wider scope was made."""
    made = yield
    _unseen[0] |= fixturedef.scope != "function"
    return made


@pytest.fixture(autouse=True)
def no_leaks(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compare the threads, active timers and top-level widgets after the test with those before."""
    if _unseen[0]:  # looking at all objects takes 0.1 s and more
        _unseen[0] = False
        _remember_qt()
    before = living()
    gc.freeze()  # from here on the collector lists new objects alone
    left: dict[tuple[str, int], str] = {}
    try:
        yield
        if not request.node.stash.get(_failed, False) and _since(before):
            left = _after_cleaning(before)
    finally:
        gc.collect()  # the window of this test: a cycle of 23 000 objects, 6 MB
        gc.unfreeze()
        if len(_known) > _kept[0] + _MANY:
            gc.collect()
            _kept[0] = len(_known)
    if left:
        pytest.fail("the test left behind " + ", ".join(left.values()), pytrace=False)


def _after_cleaning(before: dict[tuple[str, int], str]) -> dict[tuple[str, int], str]:
    """Return what is left without garbage, and without threads that are about to end."""
    gc.collect()  # what only a reference cycle keeps is no leak
    _await_threads(before, _SOON)
    if _since(before):
        gc.unfreeze()  # the cycle may go through older objects; to look at all takes seconds
        gc.collect()
        # A thread that was told to end may have to end its work first: what draws a large map
        # compiles that once, which takes many seconds where others work, too.
        _await_threads(before, PATIENCE)
    return _since(before)


def _await_threads(before: dict[tuple[str, int], str], patience: float) -> None:
    """Wait while threads are all that is left, so many seconds at most."""
    with contextlib.suppress(AssertionError):
        until(lambda: {kind for kind, _ in _since(before)} != {"thread"}, patience)


def living(windows: Collection[int] = ()) -> dict[tuple[str, int], str]:
    """Everything that runs or shows now: kind and address to a description.

    What belongs to one of the ``windows``, which are given by their addresses, is left out.
    """
    return {**_threads(), **_qt_threads_and_timers(windows), **_widgets(windows)}


def _belongs_to(thing: Any, windows: Collection[int]) -> bool:
    import shiboken6

    while windows and (thing := thing.parent()) is not None:
        if shiboken6.getCppPointer(thing)[0] in windows:
            return True
    return False


def _since(before: dict[tuple[str, int], str]) -> dict[tuple[str, int], str]:
    _remember_qt()
    windows = {address for kind, address in before if kind == "widget"}
    return {key: text for key, text in living(windows).items() if key not in before}


def _threads() -> dict[tuple[str, int], str]:
    return {
        ("thread", id(thread)): f"the thread {thread.name!r}"
        for thread in threading.enumerate()
        if thread is not threading.current_thread() and not _ended(thread)
    }


def _ended(thread: threading.Thread) -> bool:
    """Whether ``thread`` is Python's record of a foreign thread (a QThread) that is gone.

    Before Python 3.12 such records stay listed for ever; Linux knows better.
    """
    tasks = Path("/proc/self/task")
    return (
        isinstance(thread, threading._DummyThread)
        and tasks.exists()
        and not (tasks / str(thread.native_id)).exists()
    )


def _remember_qt() -> None:
    """Note the QThreads and QTimers among the objects that the collector lists."""
    if core := sys.modules.get("PySide6.QtCore"):
        kinds = _with_subclasses(core.QThread) | _with_subclasses(core.QTimer)
        objects = gc.get_objects()
        _known.update(itertools.compress(objects, map(kinds.__contains__, map(type, objects))))


def _qt_threads_and_timers(windows: Collection[int]) -> dict[tuple[str, int], str]:
    core = sys.modules.get("PySide6.QtCore")
    if core is None or core.QCoreApplication.instance() is None:
        return {}
    import shiboken6

    found: dict[tuple[str, int], str] = {}
    for thing in list(_known):
        if not shiboken6.isValid(thing):
            _known.discard(thing)
            continue
        if isinstance(thing, core.QTimer):
            if not thing.isActive() or _belongs_to(thing, windows):
                continue
            text = f"an active {type(thing).__name__} {thing.objectName()!r} of {thing.parent()}"
            found["timer", shiboken6.getCppPointer(thing)[0]] = text
        elif isinstance(thing, core.QThread) and thing.isRunning():
            text = f"a running {type(thing).__name__} {thing.objectName()!r}"
            found["thread", shiboken6.getCppPointer(thing)[0]] = text
    return found


def _widgets(windows: Collection[int]) -> dict[tuple[str, int], str]:
    widgets = sys.modules.get("PySide6.QtWidgets")
    core = sys.modules.get("PySide6.QtCore")
    if widgets is None or core is None or core.QCoreApplication.instance() is None:
        return {}
    import shiboken6

    core.QCoreApplication.sendPostedEvents(None, core.QEvent.Type.DeferredDelete.value)
    return {
        ("widget", shiboken6.getCppPointer(widget)[0]): (
            f"the {type(widget).__name__} {widget.objectName() or widget.windowTitle()!r}"
        )
        for widget in widgets.QApplication.topLevelWidgets()
        if not _belongs_to(widget, windows)
    }


def _with_subclasses(kind: type) -> frozenset[type]:
    subclasses: list[type] = type.__subclasses__(kind)
    return frozenset({kind}).union(*map(_with_subclasses, subclasses))
