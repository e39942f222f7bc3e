"""Work in steps: one work after the other, each of them to its end."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from views.widgets.steps import StepByStep, Steps


def test_works_follow_each_other_while_the_window_is_not_painted(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    turns, said, made = StepByStep(window, hidden=True), list[str](), list[str]()

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
