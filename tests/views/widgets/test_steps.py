"""Work in steps, and a window that is not painted meanwhile."""

from __future__ import annotations

import time
from functools import partial

import pytest
from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.hands import settle
from views.widgets.steps import Curtain, StepQueue, Steps, StepTimer


def test_works_follow_each_other_while_the_window_is_not_painted(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    turns, said, made = StepQueue(window, Curtain(window)), list[str](), list[str]()

    def work(name: str) -> Steps[str]:
        for step in range(2):
            said.append(f"{name}{step}{window.updatesEnabled()}")
            yield
        return name

    def first() -> Steps[str]:
        return work("a")

    def second() -> Steps[str]:
        return work("b")

    turns.begin(first, made.append)
    turns.begin(second, made.append)
    turns.begin(second, made.append)  # waits already
    assert not said
    qtbot.waitUntil(lambda: not turns.busy)
    assert said == ["a0False", "a1False", "b0False", "b1False"]
    assert made == ["a", "b"]
    assert window.updatesEnabled()
    turns.begin(first, made.append)
    turns.finish()
    assert made == ["a", "b", "a"]


def work(seconds: float) -> None:
    """Use processor time."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


@pytest.mark.parametrize("busy", [False, True])
def test_steps_of_several_timers_are_not_taken_in_one_round(qtbot: QtBot, busy: bool) -> None:
    """Not even where something else works in each round, for which all wait equally long."""
    owner, rounds, taken = QObject(), list[int](), list[tuple[str, int]]()
    counter = QTimer(owner, interval=0)  # called once a round
    counter.timeout.connect(lambda: rounds.append(len(rounds)))
    counter.timeout.connect(lambda: work(0.01 if busy else 0))
    timers = {name: StepTimer(owner) for name in "abcd"}

    def step(name: str) -> None:
        taken.append((name, len(rounds)))
        work(0.03)

    for name, timer in timers.items():
        timer.timeout.connect(partial(step, name))
    settle()  # first comes what earlier tests left to Qt, for which a step waits
    counter.start()
    for timer in timers.values():
        timer.start()
    qtbot.waitUntil(lambda: len(taken) >= 16)
    counter.stop()
    for timer in timers.values():
        timer.stop()
    of_rounds = [number for _, number in taken]
    assert len(set(of_rounds)) == len(of_rounds)
    assert {name for name, _ in taken} == set("abcd")  # none waits for ever


def test_a_step_waits_for_what_others_do_but_not_for_ever(qtbot: QtBot) -> None:
    owner, steps, others = QObject(), list[int](), list[int]()
    busy, timer = QTimer(owner, interval=0), StepTimer(owner)

    def disturb() -> None:
        others.append(1)
        work(0.02)

    busy.timeout.connect(disturb)
    timer.timeout.connect(lambda: steps.append(len(others)))
    busy.start()
    timer.start()
    qtbot.waitUntil(lambda: len(steps) >= 3)
    busy.stop()
    timer.stop()
    assert 3 <= steps[2] - steps[1] <= 5  # rounds in which it has waited


def test_a_curtain_is_open_when_all_have_opened_it(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    curtain = Curtain(window)
    for who in ("a", "b", "a"):
        curtain.close(who)
        assert not window.updatesEnabled()
    curtain.open("a")
    assert not window.updatesEnabled()
    curtain.open("c")  # has never closed it
    assert not window.updatesEnabled()
    curtain.open("b")
    assert window.updatesEnabled()


class Painted(QWidget):
    """Counts how often it is painted."""

    def __init__(self) -> None:
        super().__init__()
        self.times = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        self.times += 1


def test_what_was_to_be_painted_when_the_curtain_closed_is_painted_when_it_opens(
    qtbot: QtBot,
) -> None:
    window = Painted()
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    settle()
    before, curtain = window.times, Curtain(window)
    window.update()
    curtain.close("it")
    settle()
    assert window.times == before
    curtain.open("it")
    settle()
    assert window.times == before + 1
