"""The drawing board: a dialog with a canvas, tools, and what to do with the cities."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
from PySide6.QtCore import QMimeData, Qt, Signal, SignalInstance
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFormLayout,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QScrollArea,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gpu.core.words import counted
from views.draw.canvas import TOOLS, Canvas
from views.draw.drawing import DRAWN_MOST, Drawing
from views.setup.cards import Card
from views.widgets.controls import AccessibleNames, OptionButtons, indented, make_button
from views.widgets.labels import ElidedLabel, make_label, plain_item, plain_tip, set_role
from views.widgets.layers import Points
from views.widgets.layouts import fill, resize_within_screen
from views.widgets.theme import Theme

_TRACED_USUAL = 1_000  # cities
_LARGEST_SEED = 2**31 - 1


class TraceCard(Card):
    """Number of cities, seed, and a button that asks for the picture."""

    def __init__(self) -> None:
        super().__init__("PICTURE", "draw#trace-a-picture")
        self.cities = indented(
            QSpinBox(minimum=3, maximum=DRAWN_MOST, value=_TRACED_USUAL, singleStep=100)
        )
        self.cities.setAccessibleName("Cities of the traced picture")
        self.seed = indented(QSpinBox(minimum=0, maximum=_LARGEST_SEED, value=1))
        self.seed.setAccessibleName("Seed of the traced picture")
        self.inverted = QCheckBox("Cities where it is light")
        tip = "Replace the drawing by cities that lie dense where a picture is dark"
        self.trace_button = make_button("", "Trace image…", tip)
        self.bar = QProgressBar(maximum=1000, textVisible=False)
        self.bar.setAccessibleName("How much of the picture is traced")
        self.cancel_button = make_button("segment", "Cancel", "Give up the picture")
        form = QFormLayout()
        form.setContentsMargins(0, 0, 0, 0)
        form.addRow(make_label("note", "Cities"), self.cities)
        form.addRow(make_label("note", "Seed"), self.seed)
        self.column.addLayout(form)
        self.column.addWidget(self.inverted)
        self.column.addWidget(self.trace_button)
        self.column.addLayout(fill(QHBoxLayout(), (self.bar, 1), self.cancel_button, spacing=6))
        policy = self.trace_button.sizePolicy()
        policy.setHorizontalPolicy(policy.Policy.Expanding)
        self.trace_button.setSizePolicy(policy)
        self.show_work(False)

    def show_work(self, at_work: bool, share: float | None = None) -> None:
        """Show whether something is being done, and which share of it is done."""
        self.trace_button.setEnabled(not at_work)
        self.bar.setVisible(at_work)
        self.cancel_button.setVisible(at_work)
        self.bar.setMaximum(0 if share is None else 1000)
        self.bar.setValue(round(1000 * (share or 0.0)))


FEWEST = 3  # cities of a tour
_BOARD_PANEL = 236  # pixels: width of the panel at the right
_DRAWING_NAME_LONGEST = 60  # characters

_BOARD_ACTIONS = {  # text, keys, tip
    "undo": ("Undo", ["Ctrl+Z"], "Take back the last change"),
    "redo": ("Redo", ["Ctrl+Y", "Ctrl+Shift+Z"], "Make the change again that was taken back"),
    "all": ("Select all", ["Ctrl+A"], "Select all cities: Delete erases them, arrows move them"),
    "clear": ("Clear", [], "Erase all cities"),
    "paste": (
        "Paste",
        ["Ctrl+V"],
        "Add the places on the clipboard: lines of x and y, or of latitude and longitude, or a "
        "CSV. A CSV or TSPLIB file or a picture can be dropped here, too",
    ),
    "begin": (
        "Begin with the instance",
        [],
        "Replace the drawing by the cities of the instance in sight",
    ),
    "save": ("Save as…", ["Ctrl+S"], "Write the drawing as a TSPLIB file"),
    "solve": (
        "Solve it",
        ["Ctrl+Return"],
        "Keep the drawing, and start a run on it",
    ),
}


class Board(QDialog):
    """Where a user draws an instance. What it cannot do itself, it asks for by a signal."""

    paste_requested = Signal(str)  # text of the clipboard
    file_given = Signal(object)  # path of a file that was dropped or copied
    begin_requested = Signal()
    trace_requested = Signal()
    cancel_requested = Signal()  # of what is being read or traced
    save_requested = Signal()
    solve_requested = Signal()

    def __init__(self, parent: QWidget, theme: Theme) -> None:
        super().__init__(parent)
        self.setWindowTitle("Draw cities")
        self.setMinimumSize(560, 340)
        resize_within_screen(self, 980, 660)
        self.drawing = Drawing(self)
        self.canvas = Canvas(self.drawing)
        self.trace = TraceCard()
        self._offers = False  # whether there is an instance to begin with
        self.actions_: dict[str, QAction] = {}
        for name, (text, keys, tip) in _BOARD_ACTIONS.items():
            action = self.actions_[name] = QAction(text, self)
            action.setShortcuts([QKeySequence(key) for key in keys])
            action.setToolTip(plain_tip(f"{tip} ({keys[0]})" if keys else tip))
            action.setIconText(text)  # a button would leave out the dots
            self.addAction(action)
        self.tools = OptionButtons({key: text for key, (text, _, _) in TOOLS.items()}, "")
        self.tools.setAccessibleName("Tools")
        for key, (_, letter, tip) in TOOLS.items():
            self.tools.buttons[key].setToolTip(plain_tip(f"{tip} ({letter})"))
            self.tools.buttons[key].setShortcut(letter)
        self.hint, self.place = ElidedLabel("note"), self.canvas.caption
        self.place.setWordWrap(False)
        self.message = make_label("note", wrap=True)
        self.name = QLineEdit("drawing", maxLength=_DRAWING_NAME_LONGEST)
        self.name.setAccessibleName("Name of the drawing")
        self.count, self.chosen = make_label("value"), make_label("note")
        self.close_button = make_button("", "Close", "The drawing stays as it is (Esc)")
        self._scrolled = QScrollArea(widgetResizable=True)  # on a small screen
        self._lay_out()
        self._connect()
        self.apply_theme(theme)
        self._names = AccessibleNames(self)
        for part in self.findChildren(QWidget):
            part.setAcceptDrops(False)  # else it would take files dropped on it
        self.setAcceptDrops(True)
        self._choose_tool("place")
        self._describe()
        self.canvas.graphics.setFocus()

    def apply_theme(self, theme: Theme) -> None:
        """Use the colours and the type of ``theme``."""
        self.canvas.apply_theme(theme)

    def offer(self, name: str) -> None:
        """Offer to begin with the cities of the instance ``name``; an empty name offers none."""
        begin = self.actions_["begin"]
        begin.setText(f"Begin with {plain_item(name, 18)}" if name else _BOARD_ACTIONS["begin"][0])
        begin.setIconText(begin.text())
        self._offers = bool(name)
        begin.setEnabled(self._offers and self.actions_["paste"].isEnabled())

    def take(
        self, points: Points, what: str, *, replace: bool = False, globe: bool = False
    ) -> bool:
        """Add ``points`` from elsewhere, or replace the drawing; return whether there is room.

        ``what`` says where they are from. On the ``globe`` they are longitudes and latitudes; a
        drawing in a plane is replaced by them.
        """
        before = len(self.drawing.points)
        replace |= globe != self.drawing.globe
        room = DRAWN_MOST if replace else self.drawing.room
        if len(points) > room:
            self.tell(f"{what} has {len(points):,} cities; there is room for {room:,}", "problem")
            return False
        if replace and before:
            self.drawing.replace(points, what[:1].lower() + what[1:], globe=globe)
        else:
            self.drawing.add(points, globe=globe)
        if replace or not before:
            self.canvas.turn_page()
        elif len(points):
            self.drawing.select(np.arange(before, before + len(points)))
            self.canvas.fit()
        return True

    def tell(self, sentence: str, role: Literal["note", "problem"] = "note") -> None:
        """Show one sentence below the canvas."""
        self.message.setText(sentence)
        set_role(self.message, role)

    def show_work(self, what: str, share: float | None = None) -> None:
        """Say what is being done, and which share of it is done; nothing for the end of it."""
        self.trace.show_work(bool(what), share)
        for name in ("paste", "save", "solve"):
            self.actions_[name].setEnabled(not what)
        if what:
            self.tell(what)
        self.actions_["begin"].setEnabled(self._offers and not what)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept a local file."""
        if _file_in(event.mimeData()) is not None and self.actions_["paste"].isEnabled():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Take in the file: a table of places, an instance or a picture; of several, the first."""
        event.acceptProposedAction()
        self.file_given.emit(_file_in(event.mimeData()))

    def reject(self) -> None:
        """Close the board; what is under way is given up, the drawing stays."""
        self.cancel_requested.emit()
        super().reject()

    def focusNextPrevChild(self, next: bool) -> bool:
        """Bring what gets the focus by Tab into sight."""
        moved = super().focusNextPrevChild(next)
        focus = self.focusWidget()
        if focus is not None and self._scrolled.isAncestorOf(focus):
            self._scrolled.ensureWidgetVisible(focus)
        return moved

    def _lay_out(self) -> None:
        top = fill(QHBoxLayout(), self.tools)
        top.addStretch(1)
        top.addWidget(self.canvas.fit_button)
        below = fill(QHBoxLayout(), (self.message, 1), self.place, spacing=8)
        left = fill(QVBoxLayout(), top, self.hint, (self.canvas, 1), below, spacing=6)
        name, cities = Card("NAME", "draw#what-is-written"), Card("CITIES", "draw#tools")
        name.column.addWidget(self.name)
        cities.column.addWidget(self.count)
        cities.column.addWidget(self.chosen)
        grid = QGridLayout()
        grid.setSpacing(5)
        for place, key in enumerate(("undo", "redo", "all", "clear")):
            grid.addWidget(self._button(key), place // 2, place % 2)
        for row, key in enumerate(("paste", "begin"), 2):
            grid.addWidget(self._button(key), row, 0, 1, 2)
        cities.column.addLayout(grid)
        last = fill(QHBoxLayout(), self._button("save"), self._button("solve", "start"), spacing=6)
        panel = QWidget()
        panel.setFixedWidth(_BOARD_PANEL)
        cards = QWidget()
        cards.setProperty("role", "page")
        fill(QVBoxLayout(cards), name, cities, self.trace, spacing=8).addStretch(1)
        self._scrolled.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scrolled.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scrolled.setWidget(cards)
        parts = (self._scrolled, 1), last, self.close_button
        fill(QVBoxLayout(panel), *parts, spacing=8)
        self.close_button.setSizePolicy(self._button("save").sizePolicy())
        fill(QHBoxLayout(self), (left, 1), panel, margins=(10, 10, 10, 10), spacing=10)

    def _button(self, name: str, role: str = "") -> QToolButton:
        button = make_button(role)
        button.setDefaultAction(self.actions_[name])
        policy = button.sizePolicy()
        policy.setHorizontalPolicy(policy.Policy.Expanding)
        button.setSizePolicy(policy)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return button

    def _connect(self) -> None:
        drawing, stack = self.drawing, self.drawing.stack
        slots = {
            "undo": stack.undo,
            "redo": stack.redo,
            "all": lambda: drawing.select(np.arange(len(drawing.points))),
            "clear": lambda: drawing.erase(np.arange(len(drawing.points))),
            "paste": self._paste,
            "begin": self.begin_requested.emit,
            "save": lambda: self._go_on(self.save_requested),
            "solve": lambda: self._go_on(self.solve_requested),
        }
        for name, slot in slots.items():
            self.actions_[name].triggered.connect(lambda _=False, slot=slot: slot())
        drawing.changed.connect(lambda: self.tell(""))
        for signal in (drawing.changed, drawing.selected, stack.indexChanged):
            signal.connect(self._describe)
        self.canvas.cursor_moved.connect(self._describe)
        self.canvas.refused.connect(lambda sentence: self.tell(sentence, "problem"))
        self.tools.chosen.connect(self._choose_tool)
        self.trace.trace_button.clicked.connect(self.trace_requested)
        self.trace.cancel_button.clicked.connect(self.cancel_requested)
        self.close_button.clicked.connect(self.reject)

    def _paste(self) -> None:
        copied = QGuiApplication.clipboard()
        if (path := _file_in(copied.mimeData())) is not None:
            self.file_given.emit(path)
        else:
            self.paste_requested.emit(copied.text())

    def _go_on(self, wanted: SignalInstance) -> None:
        """Tell what the user wants of the cities, if they are enough for a tour."""
        lacking = FEWEST - len(self.drawing.points)
        if lacking > 0:
            self.tell(f"A tour needs at least {FEWEST} cities; place {lacking} more", "problem")
        else:
            wanted.emit()

    def _choose_tool(self, tool: str) -> None:
        self.canvas.use_tool(tool)
        self.hint.setText(TOOLS[tool][2])

    def _words_of(self, place: Points) -> str:
        x, y = place
        return f"latitude {y:g}, longitude {x:g}" if self.drawing.globe else f"{x:g}, {y:g}"

    def _describe(self) -> None:
        drawing, stack = self.drawing, self.drawing.stack
        n, chosen = len(drawing.points), len(drawing.selection)
        cities = counted(n, "city", f"{n:,}")
        self.count.setText(f"{cities} on the globe" if drawing.globe else cities)
        self.chosen.setText(f"{chosen:,} selected" if chosen else "none selected")
        cursor = self.canvas.guides.spot
        self.place.setText("" if cursor is None else f"cursor at {self._words_of(cursor)}")
        said = self.count.text(), self.chosen.text(), self.place.text()
        self.canvas.graphics.setAccessibleDescription(", ".join(filter(None, said)))
        for name, possible, text in (
            ("undo", stack.canUndo(), stack.undoText()),
            ("redo", stack.canRedo(), stack.redoText()),
        ):
            tip, keys = _BOARD_ACTIONS[name][2], _BOARD_ACTIONS[name][1][0]
            self.actions_[name].setEnabled(possible)
            self.actions_[name].setToolTip(plain_tip(f"{tip}: {text} ({keys})" if text else tip))
        for name in ("all", "clear"):
            self.actions_[name].setEnabled(n > 0)


def _file_in(data: QMimeData | None) -> Path | None:
    """Return the first local file among what was dropped, or copied: that may be nothing."""
    if data is None:
        return None
    paths = (url.toLocalFile() for url in data.urls() if url.isLocalFile())
    return next(map(Path, paths), None)
