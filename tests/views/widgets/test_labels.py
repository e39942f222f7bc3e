"""Labels and tool tips show plain text, and all of them are made where that is seen to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from views.widgets.labels import (
    LONGEST_LABEL,
    ElidedLabel,
    Label,
    make_label,
    plain_tip,
    window_title,
)

ROOT = Path(__file__).parents[3]
HELPER = "views/widgets/labels.py"
OWN_MARKUP = {"views/frame/dialogs.py", "views/help/guide_page.py"}  # the program's own texts
RICH = {"QErrorMessage", "QGraphicsTextItem", "QMessageBox", "QProgressDialog", "QStaticText"}
RICH |= {"QTextBrowser", "QTextDocument", "QTextEdit", "QWhatsThis"}
MARKUP = {"setHtml", "insertHtml", "appendHtml", "setMarkdown", "setTextFormat"}
IMAGE = '<img src="/dev/zero">'


@pytest.mark.parametrize("kind", [Label, ElidedLabel, lambda: make_label("note", wrap=True)])
def test_a_label_shows_what_it_is_given(qtbot: QtBot, kind: type[Label]) -> None:
    label = kind()
    qtbot.addWidget(label)
    assert label.textFormat() is Qt.TextFormat.PlainText
    label.setText(f"{IMAGE}\x1b[31m\u202e\udcff")
    assert label.text() == rf"{IMAGE}\x1b[31m\u202e\udcff"
    label.setText("x" * 3_000_000)
    assert len(label.text()) == LONGEST_LABEL


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


@pytest.mark.parametrize("name", ["a[*]b", "[*]", "[*][*]", "a280"])
def test_a_title_shows_the_whole_name(qtbot: QtBot, name: str) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.setWindowTitle(window_title(name))
    window.show()
    assert window.windowHandle().title().startswith(f"{name} – Formicarium")


def test_labels_and_tips_are_made_by_the_helper_alone() -> None:
    found = [
        f"{file}:{line}"
        for room in ("app", "views")
        for file in ((path.relative_to(ROOT).as_posix()) for path in (ROOT / room).rglob("*.py"))
        if file != HELPER
        for line in _others(ast.parse((ROOT / file).read_text("utf-8")), file in OWN_MARKUP)
    ]
    assert found == []


def _others(tree: ast.AST, own_markup: bool) -> Iterator[int]:
    """Lines in which a label or a tool tip is made in another way."""
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        name = _name_of(node)
        if (
            (name in RICH | MARKUP and not own_markup)
            or (name == "setToolTip" and id(node) not in called)  # it gets another name
            or any(_name_of(one) == "QLabel" for one in _makers_in(node))
            or (isinstance(node, ast.alias) and node.name == "QLabel" and node.asname)
            or (isinstance(node, ast.Call) and not _shows_plain_text(node))
        ):
            yield getattr(node, "lineno", 0)


def _makers_in(node: ast.AST) -> list[ast.expr]:
    """What ``node`` may make labels of; it makes none where it looks for them."""
    if isinstance(node, ast.ClassDef):
        return node.bases
    if isinstance(node, ast.Call):
        looks = _name_of(node.func) in ("isinstance", "findChild", "findChildren")
        return [node.func] if looks else [node.func, *node.args]
    return [node.value] if isinstance(node, ast.Assign) else []


def _shows_plain_text(call: ast.Call) -> bool:
    name = _name_of(call.func)
    texts = [one.value for one in call.keywords if one.arg in ("toolTip", "whatsThis")]
    if name in ("setToolTip", "setLabelText"):
        texts += call.args
    role = any("ToolTipRole" in ast.dump(one) for one in call.args)
    if role and name in ("setData", "setItemData", "setHeaderData"):
        return any(map(_is_plain_tip, call.args))
    return name not in ("showText", "setWhatsThis") and all(map(_is_plain, texts))


def _name_of(node: ast.AST) -> str:
    return str(getattr(node, "id", "") or getattr(node, "attr", ""))


def _is_plain_tip(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and _name_of(node.func) in ("plain_tip", "markup_tip")


def _is_plain(node: ast.expr) -> bool:
    """Whether a tip is written in the code, or comes from the helper."""
    if _is_plain_tip(node):
        return True
    if isinstance(node, ast.IfExp):
        return _is_plain(node.body) and _is_plain(node.orelse)
    if isinstance(node, ast.JoinedStr):
        return all(map(_is_plain, node.values))
    if isinstance(node, ast.FormattedValue):
        return _is_plain(node.value)
    return isinstance(node, ast.Constant)


@pytest.mark.parametrize(("system", "keys"), [("linux", "Ctrl+Shift+O"), ("darwin", "⌘⇧O")])
def test_tips_name_keys_as_the_system_does(
    monkeypatch: pytest.MonkeyPatch, system: str, keys: str
) -> None:
    monkeypatch.setattr("sys.platform", system)
    assert plain_tip(f"Open on {system} (Ctrl+Shift+O)") == f"Open on {system} ({keys})"
