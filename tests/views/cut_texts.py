"""Which texts of a window do not fit where they stand."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QLabel, QTabBar, QToolButton, QWidget

from views.widgets.labels import ElidedLabel


def cut_texts(window: QWidget) -> list[str]:
    """Return each text that is in sight, and is cut though it is not meant to be shortened."""
    short = []
    for widget in window.findChildren(QToolButton):
        if isinstance(widget.parent(), QTabBar):
            continue  # its arrows, where not all tabs fit
        if widget.isVisible() and widget.width() < widget.sizeHint().width():
            short.append(widget.text() or widget.toolTip())
    for label in window.findChildren(QLabel):
        whole = label.wordWrap() or isinstance(label, ElidedLabel)
        needed = max(
            map(label.fontMetrics().horizontalAdvance, label.text().replace("&", "").split("\n"))
        )
        if label.isVisible() and not whole and label.width() < needed:
            short.append(label.text())
    short += [
        box.currentText()
        for box in window.findChildren(QComboBox)
        if box.isVisible() and box.height() < box.sizeHint().height()
    ]
    return short
