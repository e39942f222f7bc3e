from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from tests.hands import click
from tests.systems import take_time_zone
from views.run.log_view import MOST_LINES, LogView, in_words


def test_the_log_in_words_and_as_in_the_file(qtbot: QtBot) -> None:
    view = LogView()
    qtbot.addWidget(view)
    view.resize(420, 300)
    view.show()
    lines = [
        '{"kind": "improvement", "seconds": 1.5, "iteration": 12, "best": 51000, "gap_percent": 2}',
        '{"kind": "outcome", "seconds": 3, "ending": "finished", "reason": "done", "best": null}',
        "not JSON",
    ]
    view.add_lines(lines)
    assert "↓ iteration 12  best 51\u202f000 (2.00\u202f%)" in view.text.toPlainText()
    assert "finished: done" in view.text.toPlainText()
    click(view.form.buttons["file"])
    assert view.text.toPlainText().split("\n") == lines
    view.hide()
    view.add_lines([str(number) for number in range(2 * MOST_LINES)])
    view.show()
    assert view.text.blockCount() == MOST_LINES
    assert view.text.toPlainText().endswith(str(2 * MOST_LINES - 1))


@pytest.mark.parametrize(
    "numbers",
    [
        '"iteration": 1e999, "seconds": 1, "best": 5',
        f'"iteration": 1, "seconds": {"9" * 400}, "best": 5',
        '"iteration": 1, "seconds": 1, "best": Infinity',
        '"iteration": [], "seconds": 1, "best": 5',
    ],
)
def test_a_line_with_numbers_that_are_none_is_shown_as_it_is(numbers: str) -> None:
    line = f'{{"kind": "progress", {numbers}}}'
    assert in_words(line) == line


def test_a_session_line_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    line = (
        '{"kind": "session", "started": "2026-01-01T12:30:00+00:00", "instance": {"name": "a280"},'
        ' "session": {"colony": "acs-seq", "device": "cpu:1", "seed": 7}}'
    )
    monkeypatch.setenv("TZ", "UTC-3")  # three hours ahead of it
    try:
        take_time_zone()
        assert in_words(line) == "2026-01-01 15:30:00  acs-seq on cpu:1, a280, seed 7"
    finally:
        monkeypatch.undo()
        take_time_zone()
