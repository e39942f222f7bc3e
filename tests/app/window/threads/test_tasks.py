"""Work in threads, and who hears of it."""

from __future__ import annotations

import sys
import threading

import pytest
from PySide6.QtCore import QThread
from pytestqt.qtbot import QtBot

from app.window.threads.tasks import NICENESS, BackgroundTasks, Task
from gpu.core.errors import InstanceError
from tests.systems import niceness


class Ear:
    """Remembers what a task tells, and in which thread."""

    def __init__(self) -> None:
        self.heard: list[object] = []
        self.threads: set[int] = set()

    def __call__(self, *what: object) -> None:
        self.heard.append(what if len(what) > 1 else what[0])
        self.threads.add(threading.get_ident())


@pytest.fixture
def ear() -> Ear:
    return Ear()


def test_a_task_works_elsewhere_and_tells_here(qtbot: QtBot, ear: Ear) -> None:
    background = BackgroundTasks()

    def work(task: Task[int]) -> int:
        task.report(0.5, "half")
        task.post(ear, "posted")
        return threading.get_ident()

    task = Task(work, ear, ear, ear)
    with qtbot.waitSignal(task.ended):
        background.start(task)
    half, posted, worker = ear.heard
    assert (half, posted) == ((0.5, "half"), "posted")
    assert worker != threading.get_ident()
    assert ear.threads == {threading.get_ident()}
    assert background.idle


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere threads share one niceness")
def test_a_task_gives_way_to_the_window(qtbot: QtBot, ear: Ear) -> None:
    def niceness_here(_: object) -> int:
        return niceness(threading.get_native_id())

    background = BackgroundTasks()
    task = Task(niceness_here, ear, ear)
    with qtbot.waitSignal(task.ended):
        background.start(task)
    assert ear.heard == [min(19, niceness_here(None) + NICENESS)]


def test_a_task_that_fails_tells_one_sentence(qtbot: QtBot, ear: Ear) -> None:
    def work(task: Task[int]) -> int:
        raise InstanceError("a.tsp: not an instance")

    background = BackgroundTasks()
    task = Task(work, lambda _: pytest.fail("it did not succeed"), ear)
    with qtbot.waitSignal(task.ended):
        background.start(task)
    assert ear.heard == ["a.tsp: not an instance"]


def test_a_cancelled_task_tells_nothing(qtbot: QtBot, ear: Ear) -> None:
    def work(task: Task[int]) -> int:
        while not task.cancelled:
            QThread.msleep(1)
        return 1

    background = BackgroundTasks()
    task = background.start(Task(work, ear, ear, ear))
    with qtbot.waitSignal(task.ended):
        task.cancel()
    assert ear.heard == []


def test_shutdown_cancels_and_says_whether_all_ended(qtbot: QtBot, ear: Ear) -> None:
    released = threading.Event()

    def stubborn(task: Task[int]) -> int:
        released.wait(10)
        return 1

    background = BackgroundTasks()
    task = background.start(Task(stubborn, ear, ear))
    assert not background.shutdown(0.05)
    released.set()
    assert background.shutdown(5)
    assert task.isFinished()
    assert ear.heard == []


def test_nothing_begins_after_a_shutdown(ear: Ear) -> None:
    background = BackgroundTasks()
    assert background.shutdown(0)
    task = background.start(Task(lambda _: 1, ear, ear))
    assert task.cancelled
    assert not task.isRunning()
    assert background.idle
