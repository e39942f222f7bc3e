"""Labels and tool tips show plain text, and all of them are made where that is seen to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

from views.widgets.labels import LONGEST, ElidedLabel, Label, make_label, plain_tip

ROOT = Path(__file__).parents[3]
HELPER = "views/widgets/labels.py"
OWN_MARKUP = {
    "views/decision/decision_canvas.py",
    "views/frame/dialogs/about.py",
}  # the program's own texts
IMAGE = '<img src="/dev/zero">'


@pytest.mark.parametrize("kind", [Label, ElidedLabel, lambda: make_label("note", wrap=True)])
def test_a_label_shows_what_it_is_given(qtbot: QtBot, kind: type[Label]) -> None:
    label = kind()
    qtbot.addWidget(label)
    assert label.textFormat() is Qt.TextFormat.PlainText
    label.setText(f"{IMAGE}\x1b[31m\u202e\udcff")
    assert label.text() == rf"{IMAGE}\x1b[31m\u202e\udcff"
    label.setText("x" * 3_000_000)
    assert len(label.text()) == LONGEST


@pytest.mark.parametrize(
    "text", [IMAGE, f"\n {IMAGE}", "<?xml?><b>", "a &lt; b", "<b>x</b>\x1b", "a < b", "two\nlines"]
)
def test_a_tip_shows_what_it_is_given(text: str) -> None:
    tip = plain_tip(text)
    assert "<img" not in tip
    document = QTextDocument()
    if GuiQt.mightBeRichText(tip):
        document.setHtml(tip)
    else:
        document.setPlainText(tip)
    assert document.toPlainText().split() == text.replace("\x1b", r"\x1b").split()


def test_a_long_tip_is_cut_and_broken_into_lines() -> None:
    lines = plain_tip("word " * 100_000).split("\n")
    assert max(map(len, lines)) <= 110
    assert len(lines) < 25


def test_labels_and_tips_are_made_by_the_helper_alone() -> None:
    found = [
        f"{file}:{line}"
        for room in ("app", "views")
        for file in ((path.relative_to(ROOT).as_posix()) for path in (ROOT / room).rglob("*.py"))
        if file != HELPER
        for line in _others(ast.parse((ROOT / file).read_text("utf-8")), file in OWN_MARKUP)
    ]
    assert found == []


@pytest.mark.parametrize(
    "code",
    [
        "QLabel('x')", "QtWidgets.QLabel()", "class A(QLabel): pass", "w.setToolTip(x)",
        "w.setToolTip(f'{x}')", "w.setToolTip(x or 'y')", "QAction(toolTip=x)", "w.setHtml(x)",
        "w.setItemData(0, x, Qt.ItemDataRole.ToolTipRole)", "w.setTextFormat(f)",
        "QToolTip.showText(p, x)", "QMessageBox(text=x)", "w.setWhatsThis(x)",
    ],
)  # fmt: skip
def test_the_check_sees_other_ways(code: str) -> None:
    assert list(_others(ast.parse(code), False)) == [1]


def _others(tree: ast.AST, own_markup: bool) -> Iterator[int]:
    """Lines in which a label or a tool tip is made in another way."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and any(map(_is_label, node.bases)):
            yield node.lineno
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        name = node.func.id if isinstance(node.func, ast.Name) else name
        tips = [one.value for one in node.keywords if one.arg in ("toolTip", "whatsThis")]
        if name == "setToolTip":
            tips += node.args
        if name == "setItemData" and "ToolTipRole" in ast.dump(node.args[2]):
            tips.append(node.args[1])
        markup = ("setHtml", "setTextFormat", "insertHtml", "appendHtml", "QMessageBox")
        if (
            _is_label(node.func)
            or name in ("showText", "setWhatsThis")
            or (name in markup and not own_markup)
            or not all(map(_is_plain, tips))
        ):
            yield node.lineno


def _is_label(node: ast.AST) -> bool:
    return "QLabel" in (getattr(node, "id", ""), getattr(node, "attr", ""))


def _is_plain(node: ast.expr) -> bool:
    """Whether a tip is written in the code, or comes from the helper."""
    if isinstance(node, ast.Call):
        return getattr(node.func, "id", "") in ("plain_tip", "markup_tip")
    if isinstance(node, ast.IfExp):
        return _is_plain(node.body) and _is_plain(node.orelse)
    if isinstance(node, ast.JoinedStr):
        return all(map(_is_plain, node.values))
    if isinstance(node, ast.FormattedValue):
        return _is_plain(node.value)
    return isinstance(node, ast.Constant)
