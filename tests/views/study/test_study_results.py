"""The results of a study: what a table's rows say of the tests."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from gpu.study.findings.analysis import analyse
from tests.study_results import run, runs, study
from views.study.study_results import HEADINGS, StudyResultsPart

ROWS = [
    *runs("ring", "good", range(101, 111)),
    *runs("ring", "bad", range(150, 160)),
    *runs("ring", "alone", [130]),
    *runs("same", "good", [100, 100]),
    *runs("same", "bad", [100, 100]),
    run("same", "bad", 3, 100, batch=2),
]


def test_marks_have_the_test_and_the_effect_in_their_tips(qtbot: QtBot) -> None:
    part = StudyResultsPart()
    qtbot.addWidget(part)
    part.show_results(analyse(study(ROWS)), {})
    marks = HEADINGS.index("Mark")
    found = {}
    for row in range(part.table.rowCount()):
        item = part.table.item(row, marks)
        assert item is not None
        instance, label, *_ = part.table.texts(row)
        found[instance, label] = item.text(), " ".join(item.toolTip().split())
    mark, tip = found["ring", "bad"]
    assert mark == "−"
    assert "compared with good: rank-sum test p = 1.08e-05, by Holm 2.17e-05" in tip
    assert "better in 0 % of the pairs of runs (A12; 0 % to 20 %), effect large" in tip
    assert "fewer than two finished runs" in found["ring", "alone"][1]
    assert "compared with" not in found["ring", "good"][1]
    mark, tip = found["same", "bad"]
    assert mark == "lowest ≈ †"
    assert "compared with good: all results are equal" in tip
