"""The device and the log of a run."""

from __future__ import annotations

import dataclasses

import pytest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from gpu.core.formats import whole
from gpu.core.snapshot import Improvements, Wanted
from tests.hands import click
from tests.systems import take_time_zone
from tests.views.conftest import CPU, GPU
from tests.views.scenes import feed, show_state, snapshot, uniform
from views.runs.device_view import DeviceView
from views.runs.log_view import MOST_LOG_LINES, LogView, in_words

INSTANCE = uniform(80)


def test_the_device_and_where_its_time_goes(qtbot: QtBot) -> None:
    view = DeviceView()
    qtbot.addWidget(view)
    view.resize(420, 600)
    view.show_device(GPU, {"numpy": "2.0", "platform": "Linux"})
    view.show()
    feed(view, INSTANCE)
    texts = [label.text() for label in view.findChildren(QLabel)]
    assert "NVIDIA H100 80GB HBM3" in texts
    assert "CUDA 13.0" in texts
    assert "numpy 2.0" in texts
    assert [bar.name for bar in view.phases.bars] == ["construction", "update", "lengths"]
    assert "ms an iteration" in view.phases_title.text()
    assert len(view.curve.points) == 30
    assert view.wanted == Wanted.BRANCHING
    view.begin_run()
    assert not view.phases.bars
    show_state(view, dataclasses.replace(snapshot(INSTANCE, 5), branching=None))
    assert view.phases.bars
    assert "and this view is in sight" in view.plot.hint.text()


def test_a_version_is_told_once(qtbot: QtBot) -> None:
    view = DeviceView()
    qtbot.addWidget(view)
    view.show_device(CPU, {"python": "3.11", "numpy": "2.0"})
    texts = " ".join(label.text() for label in view.findChildren(QLabel))
    assert texts.count("3.11") == 1


def test_a_device_that_is_told_again_is_not_written_anew(qtbot: QtBot) -> None:
    view = DeviceView()
    qtbot.addWidget(view)

    def labels() -> list[QWidget | None]:
        items = map(view.facts.itemAt, range(view.facts.count()))
        return [item.widget() for item in items if item is not None]

    view.show_device(CPU, {"numpy": "2.0"})
    before = labels()
    view.show_device(CPU, {"numpy": "2.0"})
    assert labels() == before
    view.show_device(GPU, {"numpy": "2.0"})
    assert labels() != before


def test_any_colonys_phases_are_shown_in_their_order(qtbot: QtBot) -> None:
    view = DeviceView()
    qtbot.addWidget(view)
    view.show()
    phases = {"choice info": 1.0, "construction": 8.0, "update": 0.5, "local search": 0.5}
    show_state(view, dataclasses.replace(snapshot(INSTANCE, 5), phases=phases))
    assert [(bar.name, bar.value) for bar in view.phases.bars] == list(phases.items())
    assert view.phases.bars[0].text.endswith("10 %")
    assert "10.0" in view.phases_title.text()
    assert len({bar.role for bar in view.phases.bars}) == len(phases)


def test_moves_of_local_search_are_told_where_there_is_one(qtbot: QtBot) -> None:
    view = DeviceView()
    qtbot.addWidget(view)
    view.show()
    show_state(view, snapshot(INSTANCE, 5))
    assert view.moves.isHidden()
    show_state(view, snapshot(INSTANCE, 6, improved=True))
    n = INSTANCE.n
    assert [(bar.name, bar.value) for bar in view.moves.bars] == [
        ("2-opt", 31 * n),
        ("Or-opt", 12 * n),
    ]
    assert view.moves_title.isVisible()
    assert f"{whole(43 * n)} improvements" in view.moves_title.text()
    assert "local search" in [bar.name for bar in view.phases.bars]
    few = dataclasses.replace(snapshot(INSTANCE, 7), improvements=Improvements(1, 0))
    show_state(view, few)
    assert "1 improvement in" in view.moves_title.text()
    view.begin_run()
    assert view.moves_title.isHidden()
    show_state(view, few)  # a run that has made no Or-opt move does not speak of it
    assert [bar.name for bar in view.moves.bars] == ["2-opt"]


def test_limits_of_trails_are_told_where_there_are_any(qtbot: QtBot) -> None:
    view = DeviceView()
    qtbot.addWidget(view)
    view.show()
    shown = snapshot(INSTANCE, 5)
    show_state(view, shown)
    assert view.limits_note.isHidden()
    show_state(view, dataclasses.replace(shown, iteration=6, limits=(2e-5, 1.25)))
    assert view.limits_note.isVisible()
    assert "between 2.0·10⁻⁵ and 1.25 of" in view.limits_note.text()
    view.begin_run()
    assert view.limits_note.isHidden()


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
    view.add_lines([str(number) for number in range(2 * MOST_LOG_LINES)])
    view.show()
    assert view.text.blockCount() == MOST_LOG_LINES
    assert view.text.toPlainText().endswith(str(2 * MOST_LOG_LINES - 1))


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
