"""A monkey at the window: random clicks, keys, wheels and drags, as from a user's hands."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QFileDialog,
    QGraphicsView,
    QLineEdit,
    QMenu,
    QTabBar,
    QWidget,
)

from app.window.application import Application
from app.window.process.stall_meter import StallMeter
from gpu.problems.bundled import bundled
from tests.hands import NONE, click, double_click, press, scroll, write
from tests.monkey.watcher import Watcher

CONTROL = Qt.KeyboardModifier.ControlModifier
LARGEST = 1100  # places of an instance that the monkey opens
LONG = 0.1  # seconds after which a stall is reported
EVERY = 50  # actions between two looks at the memory
NETWORK = "Download"  # in the name of a button that is not pressed
PAUSE = 15  # milliseconds after each action
KEYS = [
    *(Qt.Key.Key_Space, Qt.Key.Key_Space, Qt.Key.Key_Escape, Qt.Key.Key_F11, Qt.Key.Key_P),
    *(Qt.Key.Key_N, Qt.Key.Key_M, Qt.Key.Key_F, Qt.Key.Key_Tab, Qt.Key.Key_Return, Qt.Key.Key_Up),
    *(Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Plus, Qt.Key.Key_Minus),
    *(Qt.Key.Key_F1, Qt.Key.Key_F9, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Delete),
]
WITH_CONTROL = [
    *(Qt.Key.Key_T, Qt.Key.Key_D, Qt.Key.Key_B, Qt.Key.Key_O, Qt.Key.Key_Return),
]
TEXTS = ["3", "0", "-1", "1e9", "0.5", "x", "", "99999999999999999999", "a b"]


Action = tuple[str, Callable[[], object]]


@dataclass(frozen=True, slots=True)
class Stall:
    """A time in which the window did not answer."""

    seconds: float
    worked: float  # seconds in which the window's thread worked itself, as a rule the cause
    action: str  # what was done
    places: list[str]  # where the thread was


@dataclass
class Findings:
    """What the monkey found."""

    errors: list[str] = field(default_factory=list)  # what asks to be reported
    stalls: list[Stall] = field(default_factory=list)
    memory: list[tuple[int, float]] = field(default_factory=list)  # actions, MB
    done: list[str] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)  # commands of the menus that were not chosen


class Monkey:
    """Does random things to a window: one after the other, even while a menu waits for an answer.

    Each of its methods that begin with ``_on`` or ``_in`` returns what it is about to do, in words
    and as a function.
    """

    def __init__(self, application: Application, folder: Path, seed: int) -> None:
        self.application, self.window = application, application.window
        self.folder = folder
        self.findings = Findings()
        self._random = random.Random(seed)
        self._paths = [one.path for one in bundled() if one.n <= LARGEST]
        self._meter = StallMeter()
        self._watcher = Watcher(self._meter)
        self._accounted = 0  # actions
        self._used: Counter[str] = Counter()  # how often, by names of actions and of controls

    def play(self, actions: int, tell: Callable[[str], object] = lambda _: None) -> Findings:
        """Do so many things, and return what was found."""
        self._watcher.start()
        done = self.findings.done

        again = QTimer(singleShot=True, interval=PAUSE)

        def step() -> None:
            self._account(tell)
            if len(done) < actions:
                again.start()  # first: a menu may be opened, and wait
                action, do = self._action()
                done.append(action)
                self._meter.start()
                self._watcher.begin()
                do()
            elif popup := QApplication.activePopupWidget():
                popup.close()

        again.timeout.connect(step)
        step()
        while len(done) < actions or QApplication.activePopupWidget():
            QTest.qWait(PAUSE)
            if len(done) == actions:
                step()
        again.stop()
        self._meter.stop()
        self._watcher.end()
        self.findings.unused = self.unused
        return self.findings

    def _account(self, tell: Callable[[str], object]) -> None:
        """Note what came of the last action."""
        found = self.findings
        number = len(found.done)
        if number == self._accounted:
            return
        self._accounted = number
        if self._meter.longest > LONG:
            meter = self._meter
            found.stalls.append(
                Stall(meter.longest, meter.most_work, found.done[-1], self._watcher.places)
            )
        if number % EVERY == 0:
            found.memory.append((number, memory()))
            tell(f"{number}: {memory():.0f} MB")

    def _action(self) -> Action:
        """Return what to do next."""
        if not self.window.isVisible():
            return "show", self.window.show
        if popup := QApplication.activePopupWidget():
            return self._in_popup(popup)
        if dialog := QApplication.activeModalWidget():
            return self._in_dialog(dialog)
        kinds: dict[Callable[[], Action], int] = {
            self._on_widget: 20,
            self._on_least_used: 20,
            self._on_command: 10,
            self._on_keyboard: 20,
            self._on_wheel: 8,
            self._on_drawing: 8,
            self._on_entry: 6,
            self._on_menu: 6,
            self._on_frame: 2,
            self._on_file: 3,
        }
        return self._random.choices(list(kinds), list(kinds.values()))[0]()

    def _in_popup(self, popup: QWidget) -> Action:
        if isinstance(popup, QMenu) and self._random.random() < 0.7:
            offered = [one for one in popup.actions() if one.isEnabled() and one.text()]
            # To close the window would be the end of the game.
            if offered := [one for one in offered if "Quit" not in one.text()]:
                chosen = self._random.choice(offered)
                place = popup.actionGeometry(chosen).center()
                return f"{chosen.text()} in a menu", lambda: click(popup, place)
        key = self._random.choice([Qt.Key.Key_Escape, Qt.Key.Key_Down, Qt.Key.Key_Return])
        return f"{key.name} in {_name(popup)}", lambda: press(popup, key)

    def _in_dialog(self, dialog: QWidget) -> Action:
        if isinstance(dialog, QFileDialog):  # stay in the folder, and delete nothing
            if self._random.random() < 0.3:
                return "reject a dialog", dialog.reject
            saves = dialog.acceptMode() is QFileDialog.AcceptMode.AcceptSave
            offered = dialog.selectedFiles()
            path = self._random.choice(self._paths)
            if saves:
                path = self.folder / Path(offered[0] if offered else "name").name
            dialog.setDirectory(str(path.parent))
            dialog.selectFile(str(path))
            return f"choose {path.name} in a dialog", dialog.accept
        buttons = [one for one in dialog.findChildren(QAbstractButton) if one.isVisible()]
        if buttons and self._random.random() < 0.7:
            button = self._random.choice(buttons)
            return f"click on {_name(button)} in a dialog", partial(_click_in, dialog, button)
        return "Esc in a dialog", lambda: press(dialog, Qt.Key.Key_Escape)

    def _pick(self, *kinds: type[QWidget]) -> QWidget:
        """Return one widget of these kinds that can be seen and used; else the window."""
        return self._random.choice(self._seen(*kinds) or [self.window])

    def _seen(self, *kinds: type[QWidget]) -> list[QWidget]:
        return [
            one
            for one in self.window.findChildren(QWidget)
            if isinstance(one, kinds or QWidget)
            and one.isVisible()
            and one.isEnabled()
            and not one.visibleRegion().isEmpty()
        ]

    def _place(self, widget: QWidget) -> QPoint:
        sides = max(widget.width(), 1), max(widget.height(), 1)
        return QPoint(*map(self._random.randrange, sides))

    def _on_widget(self) -> Action:
        controls = (QAbstractButton, QComboBox, QTabBar, QAbstractSpinBox)
        kinds = self._random.choice([controls, controls, controls, (QGraphicsView,), ()])
        widget = _inside(self._pick(*kinds))
        if self._random.random() < 0.1:
            return f"double click on {_name(widget)}", lambda: double_click(widget)
        place = None if isinstance(widget, QAbstractButton) else self._place(widget)
        return f"click on {_name(widget)}", lambda: click(widget, place)

    def _on_least_used(self) -> Action:
        """Click on a control that was used seldom, so that in time all of them are reached."""
        seen = self._seen(QAbstractButton, QComboBox, QTabBar)
        names = {_name(one): one for one in seen if NETWORK not in _name(one)}
        if not names:
            return self._on_widget()
        least = min(self._used[name] for name in names)
        name = self._random.choice([one for one in names if self._used[one] == least])
        self._used[name] += 1
        widget = names[name]
        place = None if isinstance(widget, QAbstractButton) else self._place(widget)
        return f"click on {name}", lambda: click(widget, place)

    def _on_command(self) -> Action:
        """Choose a command of the menus that was used seldom, whatever its place in them."""
        commands = self.commands
        possible = [name for name, one in commands.items() if one.isEnabled() and one.isVisible()]
        least = min(self._used[name] for name in possible)
        name = self._random.choice([one for one in possible if self._used[one] == least])
        self._used[name] += 1
        return f"command {name}", commands[name].trigger

    @property
    def commands(self) -> dict[str, QAction]:
        """Everything in the menus by name, but what closes the window."""
        act, names = self.window.actions_, ("actions", "views", "exports", "themes")
        groups = act.commands, act.views, act.exports, act.themes
        found = {
            f"{group} {name}": action
            for group, actions in zip(names, groups, strict=True)
            for name, action in actions.items()
        }
        del found["actions quit"]
        return found

    @property
    def unused(self) -> list[str]:
        """The commands that were never chosen."""
        return [name for name in self.commands if not self._used[name]]

    def _on_keyboard(self) -> Action:
        held = self._random.random() < 0.4
        key = self._random.choice(WITH_CONTROL if held else KEYS)
        target = self.window.focusWidget() or self.window
        name = f"{'Ctrl+' if held else ''}{key.name}"
        return name, lambda: press(target, key, CONTROL if held else NONE)

    def _on_wheel(self) -> Action:
        widget = _inside(self._pick(QGraphicsView, QAbstractSpinBox, QComboBox))
        amount = self._random.choice([-120, 120])
        return f"wheel over {_name(widget)}", lambda: scroll(widget, amount)

    def _on_drawing(self) -> Action:
        widget = _inside(self._pick(QGraphicsView))
        start, *way = [self._place(widget) for _ in range(5)]

        def drag() -> None:
            QTest.mousePress(widget, Qt.MouseButton.LeftButton, NONE, start)
            for place in way:
                QTest.mouseMove(widget, place)
            QTest.mouseRelease(widget, Qt.MouseButton.LeftButton, NONE, way[-1])

        return f"drag in {_name(widget)}", drag

    def _on_entry(self) -> Action:
        widget = self._pick(QLineEdit)
        text = self._random.choice(TEXTS)
        return f"{text!r} into {_name(widget)}", lambda: write(widget, text)

    def _on_menu(self) -> Action:
        bar = self.window.menuBar()
        place = bar.actionGeometry(self._random.choice(bar.actions())).center()
        return "click on the menu bar", lambda: click(bar, place)

    def _on_frame(self) -> Action:
        sides = self._random.randrange(640, 1700), self._random.randrange(400, 1100)
        return f"resize to {sides}", lambda: self.window.resize(*sides)

    def _on_file(self) -> Action:
        path = self._random.choice(self._paths)
        return f"drop {path.name}", lambda: self.window.open_requested.emit(path)


def memory() -> float:
    """Return the process's resident memory in MB (10**6 bytes)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _click_in(_dialog: QWidget, button: QWidget) -> None:
    """Click on a part of a dialog; without the dialog, PySide would forget its parts."""
    click(button)


def _inside(widget: QWidget) -> QWidget:
    """Return the part of ``widget`` that gets the mouse."""
    return widget.viewport() if isinstance(widget, QGraphicsView) else widget


def _name(widget: QWidget) -> str:
    text = widget.text() if isinstance(widget, QAbstractButton) else ""
    return (
        f"{type(widget).__name__} {text or widget.accessibleName() or widget.objectName()}".strip()
    )
