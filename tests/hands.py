"""Real mouse and key events for tests; pytest-qt's own are without types."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEventLoop, QMimeData, QObject, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QWidget

NONE = Qt.KeyboardModifier.NoModifier
_ROUNDS_MOST = 10_000  # of Qt's loop, until there is nothing to do


def click(widget: QWidget, place: QPoint | None = None) -> None:
    """Press and release the left button in the middle of ``widget``, or on a box's own square."""
    if place is None:
        place = widget.rect().center()
        if isinstance(widget, QCheckBox):
            place = QPoint(8, place.y())
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, NONE, place)


def double_click(widget: QWidget) -> None:
    """Click twice in the middle of ``widget``."""
    QTest.mouseDClick(widget, Qt.MouseButton.LeftButton, NONE, widget.rect().center())


def move(widget: QWidget, place: QPoint) -> None:
    """Move the mouse to ``place`` on ``widget``."""
    QTest.mouseMove(widget, place)


def press(widget: QWidget, key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
    """Press and release ``key`` with the focus on ``widget``."""
    QTest.keyClick(widget, key, modifiers)


def write(widget: QWidget, text: str) -> None:
    """Replace what stands in an entry by typing ``text``."""
    press(widget, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    press(widget, Qt.Key.Key_Delete)
    QTest.keyClicks(widget, text)


def choose(box: QComboBox, text: str) -> None:
    """Choose the item of this text by the arrow keys, as a user does."""
    place = box.findText(text)
    assert place >= 0, text
    for _ in range(box.count()):
        if box.currentIndex() != place:
            press(box, Qt.Key.Key_Down if box.currentIndex() < place else Qt.Key.Key_Up)
    assert box.currentText() == text


def scroll(widget: QWidget, amount: int) -> None:
    """Turn the wheel over the middle of ``widget`` by ``amount`` eighths of a degree."""
    middle = QPointF(widget.rect().center())
    event = QWheelEvent(
        middle,
        QPointF(widget.mapToGlobal(middle.toPoint())),
        QPoint(),
        QPoint(0, amount),
        Qt.MouseButton.NoButton,
        NONE,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)


def drop(widget: QWidget, what: Path | QMimeData) -> None:
    """Drag a file, or other data, over the middle of ``widget``, which takes it, and let go."""
    data = QMimeData() if isinstance(what, Path) else what
    if isinstance(what, Path):
        data.setUrls([QUrl.fromLocalFile(str(what))])
    middle, action, left = (
        widget.rect().center(),
        Qt.DropAction.CopyAction,
        Qt.MouseButton.LeftButton,
    )
    for event in (
        QDragEnterEvent(middle, action, data, left, NONE),
        QDropEvent(QPointF(middle), action, data, left, NONE),
    ):
        QApplication.sendEvent(widget, event)
        assert event.isAccepted()


def settle() -> None:
    """Let all that is due be done, until a round of Qt's loop finds nothing to do."""
    loop = QEventLoop()
    for _ in range(_ROUNDS_MOST):
        if not loop.processEvents():
            return
    raise AssertionError("something goes on for ever")


def ticking(whole: QObject) -> list[QTimer]:
    """The timers in ``whole`` that will call something."""
    return [timer for timer in whole.findChildren(QTimer) if timer.isActive()]


def rest(milliseconds: int) -> None:
    """Let the window go on for so long. QTest.qWait would keep Python's lock from other threads."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def press_stop(widget: QWidget) -> None:
    """Press the keys that end a run, with the focus on ``widget``."""
    press(widget, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
