"""The presentation: the whole screen, large type, and only what the speaker has picked."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QMouseEvent, QShortcut
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QMainWindow,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from views.frame.actions import Actions
from views.frame.dashboard import Dashboard
from views.frame.settings import Settings
from views.setup.fields import ChoiceBox
from views.widgets.labels import Label
from views.widgets.layouts import fill

_PICK_PLACES = "Large", "Upper right", "Lower right"
MOST_PICKED = len(_PICK_PLACES)  # views that are shown at once
_PARTS = {"numbers": "Numbers", "buttons": "Buttons of the run", "past": "Time bar"}
_SHOWN_AT_FIRST = "numbers"  # the part that is shown unless the speaker chooses otherwise


class PresentationDialog(QDialog):
    """One to three views, and what is shown around them; each choice takes effect at once."""

    picked = Signal(list)  # keys of the views
    part_shown = Signal(str, bool)  # "numbers", "buttons" or "past"

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("What the presentation shows")
        self.places = [ChoiceBox(16) for _ in _PICK_PLACES]
        self.parts = {name: QCheckBox(text) for name, text in _PARTS.items()}
        self.close_button = QPushButton("Close")
        grid = QGridLayout()
        for row, (name, box) in enumerate(zip(_PICK_PLACES, self.places, strict=True)):
            label = Label(name)
            label.setBuddy(box)
            box.setAccessibleName(f"{name} view")
            grid.addWidget(label, row, 0)
            grid.addWidget(box, row, 1)
            box.currentIndexChanged.connect(lambda _: self._pick())
        for name, switch in self.parts.items():
            switch.toggled.connect(lambda on, name=name: self.part_shown.emit(name, on))
        self.close_button.clicked.connect(self.reject)
        self.close_button.setDefault(True)
        last = fill(QHBoxLayout())
        last.addStretch(1)
        last.addWidget(self.close_button)
        column = fill(QVBoxLayout(self), grid, margins=(16, 16, 16, 16), spacing=12)
        for switch in self.parts.values():
            column.addWidget(switch)
        column.addLayout(last)

    def offer(
        self, titles: Mapping[str, str], picked: Sequence[str], parts: Mapping[str, bool]
    ) -> None:
        """Offer the views by key and title; say which are ``picked`` and which parts are shown."""
        for place, box in enumerate(self.places):
            with QSignalBlocker(box):
                box.clear()
                if place:  # one view is always shown
                    box.addItem("Nothing", "")
                for key, title in titles.items():
                    box.addItem(title, key)
                key = picked[place] if place < len(picked) else ""
                box.setCurrentIndex(max(0, box.findData(key)))
        for name, shown in parts.items():
            with QSignalBlocker(self.parts[name]):
                self.parts[name].setChecked(shown)

    def _pick(self) -> None:
        keys = [str(box.currentData()) for box in self.places if box.currentData()]
        self.picked.emit(list(dict.fromkeys(keys)))  # a view can be shown once


_NO_VIEWS: list[str] = []
_FORMER_KEYS = {"coloring-decision": "decision"}  # what earlier versions called views
_PRESENTATION_KEYS = {  # of a clicker, too: it turns pages, begins, and makes the screen black
    "present": ("F11",),
    "begin": ("F5",),
    "go-on": ("Shift+F5",),
    "next": ("PgDown",),
    "previous": ("PgUp",),
    "black": ("B", "."),
    "pick": ("V",),
}
_FULL_SCREEN_ON_MACOS = "Ctrl+Meta+F"  # ⌃⌘F: there F11 shows the desktop
_LENT = {"past-next": "."}  # whose keys mean something else meanwhile
_PRESENTATION_ONLY = "next", "previous", "black", "pick"  # actions that there are only meanwhile
PRESENTATION_HINT = (
    "Esc ends the presentation, Space starts and pauses, V chooses what is shown, Page Down goes "
    "on, B makes the screen black"
)


class Presentation(QObject):
    """Fills the screen with what was picked, and goes back; no run is touched by that."""

    changed = Signal()  # it has begun or ended: who hears it takes :meth:`picked_steps`
    begun = Signal(bool)  # the user began it: from the start, or from where it was
    ended = Signal()
    paged = Signal(int)  # the user wants the next page (1) or the previous one (-1)
    told = Signal(str)  # a hint for the user
    hint = PRESENTATION_HINT  # the one when it begins

    def __init__(
        self,
        window: QMainWindow,
        dashboard: Dashboard,
        actions: Actions,
        settings: Settings,
        buttons: QWidget,
        numbers: QWidget,
    ) -> None:
        super().__init__(window)
        self._window, self._dashboard, self._actions = window, dashboard, actions
        self._settings = settings
        self._parts = {"numbers": numbers, "buttons": buttons, "past": dashboard.past}
        self.caption = Caption()
        self.caption.clicked.connect(lambda: self.paged.emit(1))
        self.black = _BlackScreen(window)
        self._dialog: PresentationDialog | None = None  # made when it is wanted
        self._said = ""  # by the speaker
        self._passing: list[str] = []  # views that are shown for a while, and not kept
        for name, keys in _PRESENTATION_KEYS.items():
            actions[name].setShortcuts([QKeySequence(key) for key in keys])
        actions.connect(
            {
                "present": self._toggle,
                "begin": lambda: self._begin(anew=True),
                "go-on": lambda: self._begin(anew=False),
                "next": lambda: self._page(1),
                "previous": lambda: self._page(-1),
                "black": self.black.toggle,
                "pick": self.choose,
            }
        )
        dashboard.arranged.connect(self.show_picked)
        # The desktop can make a window fill the screen, too; Esc leaves that.
        self._leave = QShortcut(QKeySequence("Esc"), window, self._leave_full_screen)
        window.installEventFilter(self)
        self._enable()

    @property
    def goes_on(self) -> bool:
        """Whether the window presents."""
        return self._actions["present"].isChecked()

    @property
    def picked(self) -> list[str]:
        """The keys of the views that are shown: by default those that are in front.

        Beside a race or a study, others show a run that is not the subject: it has the room alone.
        """
        dashboard = self._dashboard
        kept = self._passing or self._settings.get(f"present-{dashboard.problem}", _NO_VIEWS)
        named = dict.fromkeys(_FORMER_KEYS.get(key, key) for key in kept)
        keys = [key for key in named if key in dashboard.views]
        front = dashboard.in_front
        own = [key for key in front[:1] if not dashboard.views[key].of_run]
        return keys[:MOST_PICKED] or own or front

    def has(self, part: str) -> bool:
        """Whether the "numbers", the "buttons" of the run or the bar of its "past" are shown."""
        return self._settings.get(f"present-{part}", part == _SHOWN_AT_FIRST)

    def pick(self, keys: Sequence[str]) -> None:
        """Show these views, one to three, in every presentation from now on."""
        self._passing = []
        self._settings.put({f"present-{self._dashboard.problem}": list(keys)})
        self.show_picked()

    def show(self, keys: Sequence[str]) -> None:
        """Show these views in the place of those that were picked, until others are shown."""
        self._passing = list(keys)
        self.show_picked()

    def show_part(self, part: str, *, shown: bool) -> None:
        """Show or hide the "numbers", the "buttons" of the run or the bar of its "past"."""
        self._settings.put({f"present-{part}": shown})
        self.show_picked()

    def turn(self, way: int) -> None:
        """Show the next view (1) or the previous one (-1) in the place of the first."""
        shown, keys = self._dashboard.in_front, list(self._dashboard.views)
        place = keys.index(shown[0])
        others = (keys[(place + way * step) % len(keys)] for step in range(1, len(keys)))
        first = next((key for key in others if key not in shown), shown[0])
        self.show([first, *shown[1:]])

    def begin(self) -> None:
        """Begin to present, if the window does not yet."""
        if not self.goes_on:
            self._actions["present"].setChecked(True)
            self._toggle()

    def say(self, text: str) -> None:
        """Show ``text`` below the views; an empty one removes it."""
        self._said = text
        self.wait_for("")

    def wait_for(self, what: str) -> None:
        """Show below the views what is waited for, in the place of what is said.

        If ``what`` is empty, what is said is there again.
        """
        text = f"Waiting for {what} … Page Down goes on without it" if what else self._said
        self.caption.setText(text)
        self.caption.setVisible(bool(text))

    @Slot()
    def choose(self) -> None:
        """Let the speaker pick what is shown."""
        if self._dialog is None:
            self._dialog = PresentationDialog(self._window)
            self._dialog.picked.connect(self.pick)
            self._dialog.part_shown.connect(lambda part, on: self.show_part(part, shown=on))
        titles = {key: view.title for key, view in self._dashboard.views.items()}
        self._dialog.offer(titles, self.picked, {part: self.has(part) for part in self._parts})
        self._dialog.open()

    def _begin(self, *, anew: bool) -> None:
        self.begin()
        self.begun.emit(anew)

    def _page(self, way: int) -> None:
        if self.black.isVisible():
            self.black.hide()
        else:
            self.paged.emit(way)

    def _toggle(self) -> None:
        """Fill the screen, or go back."""
        window, on = self._window, self.goes_on
        full = Qt.WindowState.WindowFullScreen
        window.menuBar().setVisible(not on)
        self._passing = []
        window.setWindowState(window.windowState() | full if on else window.windowState() & ~full)
        self._enable()
        self.changed.emit()
        if on:
            self.told.emit(PRESENTATION_HINT)
        else:
            self.black.hide()
            self.say("")
            self.ended.emit()

    def _enable(self) -> None:
        """Let Esc leave the full screen, and other keys mean what they do in a presentation."""
        on, actions = self.goes_on, self._actions
        for name, key in _LENT.items():
            actions[name].setShortcut("" if on else key)
        self._leave.setEnabled(self._window.isFullScreen() and not on)
        keys = [*_PRESENTATION_KEYS["present"]]
        if sys.platform == "darwin":
            keys.append(_FULL_SCREEN_ON_MACOS)
        if on:
            keys.append("Esc")
        actions["present"].setShortcuts([QKeySequence(key) for key in keys])
        for name in _PRESENTATION_ONLY:
            actions[name].setEnabled(on)

    @Slot()
    def _leave_full_screen(self) -> None:
        self._window.setWindowState(self._window.windowState() & ~Qt.WindowState.WindowFullScreen)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Hear of a window that fills the screen, or no longer does."""
        if event.type() == QEvent.Type.WindowStateChange:
            self._enable()
        return super().eventFilter(watched, event)

    @Slot()
    def show_picked(self) -> None:
        """Show what was picked, or all again."""
        deque(self.picked_steps(), maxlen=0)

    def picked_steps(self) -> Iterator[None]:
        """Show what was picked, or all again, step by step."""
        on = self.goes_on
        for name, part in self._parts.items():
            part.setVisible(not on or self.has(name))
        if on or not self._dashboard.whole:
            yield from self._dashboard.pick_steps(self.picked if on else [])


class Caption(Label):
    """What the speaker says now, in large type; a click on it asks for what comes next."""

    clicked = Signal()

    def __init__(self) -> None:
        super().__init__(wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter)
        self.setProperty("role", "caption")
        self.setAccessibleName("Caption")
        self.hide()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Ask for what comes next."""
        self.clicked.emit()


class _BlackScreen(QWidget):
    """Covers a window."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setProperty("role", "black")
        self.setAccessibleName("Black screen")
        window.installEventFilter(self)
        self.hide()

    def toggle(self) -> None:
        """Cover the window, or show it again."""
        self.resize(self._window.size())
        self.setVisible(self.isHidden())
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay as large as the window."""
        if event.type() == QEvent.Type.Resize:
            self.resize(self._window.size())
        return super().eventFilter(watched, event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Show the window again."""
        self.hide()
