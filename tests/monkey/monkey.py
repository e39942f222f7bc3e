"""A monkey at the window: random clicks, keys, wheels and drags, as from a user's hands."""

from __future__ import annotations

import random
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import psutil
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QFileDialog,
    QGraphicsView,
    QLineEdit,
    QMenu,
    QScrollBar,
    QTabBar,
    QWidget,
)
from shiboken6 import isValid

from app.notifications import Notifications
from app.window.application import Application
from app.window.event_loop import StallMeter
from gpu.problems.bundled import bundled
from gpu.run.log.names import free_path, stem
from tests.hands import NONE, click, double_click, press, rest, scroll
from tests.monkey.keeper import Action, Keeper
from tests.monkey.watcher import LONG, Findings, Stall, Watcher
from views.frame.main_window import MainWindow

NETWORK = "Download"  # in the name of a button that is not pressed
CLICKED = (QAbstractButton, QComboBox, QTabBar)  # a click anywhere uses them
CONTROLS = (*CLICKED, QAbstractSpinBox, QAbstractSlider, QLineEdit, QAbstractItemView)
OF_QT = ("qt_", "Scroll", "ScrollLeft", "ScrollRight")  # names of parts that Qt itself makes


class Use:
    """Knows all commands and controls by name, and how often each was used."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window
        self.times: Counter[str] = Counter()
        self._known: set[str] = set()  # names of controls
        self._seen: set[str] = set()
        for name, action in self.commands.items():
            action.triggered.connect(partial(self._triggered, name))

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

    def _triggered(self, name: str, _checked: bool = False) -> None:
        self.times[name] += 1

    def note(self, widget: QWidget) -> None:
        """Note that a control is used."""
        self.times[name_of(widget)] += 1

    def least(self, names: Iterable[str], choose: Callable[[list[str]], str]) -> str:
        """Return one of those ``names`` that were used least, and ``choose`` among them."""
        names = list(names)
        least = min(self.times[name] for name in names)
        return choose([name for name in names if self.times[name] == least])

    def look(self) -> None:
        """Note which controls there are, and which of them can be used now."""
        for one in self.window.findChildren(QWidget):
            if isinstance(one, CONTROLS) and _is_own(one):
                self._known.add(name := name_of(one))
                if one.isVisible() and one.isEnabled():
                    self._seen.add(name)

    @property
    def left(self) -> tuple[list[str], list[str], list[str]]:
        """Commands never chosen; controls that were in sight, but not used; those never in it."""
        commands = [name for name in self.commands if not self.times[name]]
        unused = sorted(name for name in self._known if not self.times[name])
        seen = [name for name in unused if name in self._seen]
        return commands, seen, [name for name in unused if name not in self._seen]


def _is_own(widget: QWidget) -> bool:
    """Whether a user would call ``widget`` a control, and may use it here."""
    if isinstance(widget, QScrollBar) or NETWORK in name_of(widget):
        return False
    above = widget.parentWidget()
    part_of_another = isinstance(above, QAbstractSpinBox | QComboBox | QTabBar | QAbstractItemView)
    return not part_of_another and not widget.objectName().startswith(OF_QT)


def name_of(widget: QWidget) -> str:
    """Return what a control is called here."""
    if isinstance(above := widget.parentWidget(), QAbstractItemView):
        widget = above  # its part that gets the mouse
    text = widget.text() if isinstance(widget, QAbstractButton) else ""
    name = text or widget.accessibleName() or widget.objectName()
    return f"{type(widget).__name__} {name}".strip()


CONTROL = Qt.KeyboardModifier.ControlModifier
LARGEST = 1100  # places of an instance that the monkey opens
EVERY = 50  # actions between two looks at the memory
LOOK = 5  # actions between two looks at which controls there are
PAUSE = 15  # milliseconds after each action, and after each deed of it
KEYS = [
    *(Qt.Key.Key_Space, Qt.Key.Key_Space, Qt.Key.Key_Escape, Qt.Key.Key_F11, Qt.Key.Key_P),
    *(Qt.Key.Key_N, Qt.Key.Key_M, Qt.Key.Key_F, Qt.Key.Key_Tab, Qt.Key.Key_Return, Qt.Key.Key_Up),
    *(Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Plus, Qt.Key.Key_Minus),
    *(Qt.Key.Key_F1, Qt.Key.Key_F9, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Delete),
    *(Qt.Key.Key_Comma, Qt.Key.Key_Period, Qt.Key.Key_S, Qt.Key.Key_F2, Qt.Key.Key_PageDown),
]
WITH_CONTROL = [*(Qt.Key.Key_T, Qt.Key.Key_D, Qt.Key.Key_B, Qt.Key.Key_O, Qt.Key.Key_Return)]
TEXTS = ["3", "0", "-1", "1e9", "0.5", "x", "", "99999999999999999999", "a b"]
KINDS_OF_FILES = "*.jsonl", "*.json", "*.toml", "*.tour", "*.sol", "*.sqlite"  # that are opened


class Monkey:
    """Does random things to a window: one after the other, even while a menu waits for an answer.

    Each of its methods that begin with ``_on`` or ``_in`` returns what it is about to do, in words
    and as functions.
    """

    def __init__(self, application: Application, folder: Path, seed: int) -> None:
        self.application, self.window = application, application.window
        self.folder = folder
        self.findings = Findings()
        self._random = random.Random(seed)
        self._paths = [one.path for one in bundled() if one.n <= LARGEST]
        self._large = [one.name for one in bundled() if one.n > LARGEST]
        self._meter = StallMeter()
        self._watcher = Watcher(self._meter)
        self._use = Use(self.window)
        self._keeper = Keeper(application, self._random, self._paths, folder)
        self._deeds: deque[Callable[[], object]] = deque()  # that are left of the last action

    def play(self, actions: int, tell: Callable[[str], object] = lambda _: None) -> Findings:
        """Do so many things, and return what was found."""
        self._watcher.start()
        done = self.findings.done
        again = QTimer(singleShot=True, interval=PAUSE)

        def step() -> None:
            self._account()
            if len(done) < actions or self._deeds:
                again.start()  # first: a menu may be opened, and wait
                if not self._deeds:
                    self._begin(tell)
                self._meter.start()
                self._watcher.begin()
                self._deeds.popleft()()
            elif (asking := _asking()) is not None:
                again.start()  # first, as before: to close may ask
                asking.close()

        again.timeout.connect(step)
        step()
        while len(done) < actions or self._deeds or _asking() is not None:
            rest(PAUSE)
            if len(done) == actions and not self._deeds:
                step()
        again.stop()
        self._weigh(tell)
        self._meter.stop()
        self._watcher.end()
        found = self.findings
        found.commands, found.unused, found.unseen = self._use.left
        return found

    def _begin(self, tell: Callable[[str], object]) -> None:
        """Choose what to do next, and look at the memory now and then."""
        found = self.findings
        self._weigh(tell)
        if len(found.done) % LOOK == 0:
            self._use.look()
        action, deeds = self._action()
        found.done.append(action)
        found.running += self.window.activity.goes_on
        self._deeds.extend(deeds)

    def _weigh(self, tell: Callable[[str], object]) -> None:
        """Look at the memory, if it is time."""
        if (number := len(self.findings.done)) and number % EVERY == 0:
            self.findings.memory.append((number, memory()))
            tell(f"{number}: {memory():.0f} MB")

    def _account(self) -> None:
        """Note what came of the last deed."""
        meter = self._meter
        if meter.longest > LONG:
            self.findings.stalls.append(
                Stall(meter.longest, meter.most_work, self.findings.done[-1], self._watcher.places)
            )

    def _action(self) -> Action:
        """Return what to do next."""
        if not self.window.isVisible():
            return "show", [self.window.show]
        if popup := QApplication.activePopupWidget():
            return self._in_popup(popup)
        if dialog := QApplication.activeModalWidget():
            return self._in_dialog(dialog)
        if (wanted := self._keeper.next()) is not None:
            return wanted
        kinds: dict[Callable[[], Action], int] = {
            self._on_widget: 15,
            self._on_least_used: 25,
            self._on_command: 20,
            self._on_keyboard: 14,
            self._on_wheel: 8,
            self._on_drawing: 8,
            self._on_entry: 4,
            self._on_menu: 5,
            self._on_context_menu: 2,
            self._on_frame: 2,
            self._on_file: 3,
        }
        return self._random.choices(list(kinds), list(kinds.values()))[0]()

    def _in_popup(self, popup: QWidget) -> Action:
        if isinstance(popup, QMenu) and self._random.random() < 0.7:
            offered = [one for one in popup.actions() if one.isEnabled() and one.text()]
            if offered := [one for one in offered if self._may_use(one.text())]:
                chosen = self._random.choice(offered)
                place = popup.actionGeometry(chosen).center()
                return f"{chosen.text()} in a menu", [lambda: click(popup, place)]
        key = self._random.choice([Qt.Key.Key_Escape, Qt.Key.Key_Down, Qt.Key.Key_Return])
        return f"{key.name} in {name_of(popup)}", [lambda: press(popup, key)]

    def _in_dialog(self, dialog: QWidget) -> Action:
        if isinstance(dialog, QFileDialog):
            return self._in_file_dialog(dialog)
        chance = self._random.random()
        if chance < 0.6 and (action := self._on_least_used_of(self._seen(dialog, *CLICKED))):
            return action
        entries = self._seen(dialog, QAbstractSpinBox, QLineEdit)
        if chance < 0.8 and entries:
            return self._write_into(self._random.choice(entries))
        self._use.times["Esc in a dialog"] += 1
        return "Esc in a dialog", [lambda: press(dialog, Qt.Key.Key_Escape)]

    def _in_file_dialog(self, dialog: QFileDialog) -> Action:
        """Stay in the folder, and delete nothing."""
        if self._random.random() < 0.3:
            return "reject a dialog", [dialog.reject]
        saves = dialog.acceptMode() is QFileDialog.AcceptMode.AcceptSave
        offered = dialog.selectedFiles()
        path = self._file()
        if saves:
            path = self.folder / Path(offered[0] if offered else "name").name
        dialog.setDirectory(str(path.parent))
        dialog.selectFile(str(path))
        return f"choose {path.name} in a dialog", [dialog.accept]

    def _file(self) -> Path:
        """Return an instance, or a file that the program has written."""
        written = [path for kind in KINDS_OF_FILES for path in sorted(self.folder.glob(kind))]
        offered = written if written and self._random.random() < 0.4 else self._paths
        return self._random.choice(offered)

    def _pick(self, *kinds: type[QWidget]) -> QWidget:
        """Return one widget of these kinds that can be seen and used; else the window."""
        return self._random.choice(self._seen(self.window, *kinds) or [self.window])

    def _seen(self, inside: QWidget, *kinds: type[QWidget]) -> list[QWidget]:
        return [
            one
            for one in inside.findChildren(QWidget)
            if isinstance(one, kinds or QWidget)
            and one.isVisible()
            and one.isEnabled()
            and not one.visibleRegion().isEmpty()
            and self._may_use(name_of(one))
        ]

    def _may_use(self, name: str) -> bool:
        """Whether what is called ``name`` neither ends the game nor needs a network, or minutes."""
        return not any(part in name for part in ("Quit", NETWORK, *self._large))

    def _place(self, widget: QWidget) -> QPoint:
        sides = max(widget.width(), 1), max(widget.height(), 1)
        return QPoint(*map(self._random.randrange, sides))

    def _click_on(self, widget: QWidget) -> Action:
        self._use.note(widget)
        inside = _inside(widget)
        place = None if isinstance(widget, QAbstractButton) else self._place(inside)
        # Without its window, PySide would forget a part of a dialog.
        return f"click on {name_of(widget)}", [partial(_click_in, widget.window(), inside, place)]

    def _on_widget(self) -> Action:
        controls = (*CLICKED, QAbstractSpinBox, QAbstractSlider, QAbstractItemView)
        kinds = self._random.choice([controls, controls, controls, (QGraphicsView,), ()])
        widget = self._pick(*kinds)
        if self._random.random() < 0.1:
            self._use.note(widget)
            inside = _inside(widget)
            return f"double click on {name_of(widget)}", [lambda: double_click(inside)]
        return self._click_on(widget)

    def _on_least_used(self) -> Action:
        """Use a control that was used seldom, so that in time all of them are reached."""
        kinds = (*CLICKED, QAbstractSlider, QAbstractItemView)
        seen = [one for one in self._seen(self.window, *kinds) if not isinstance(one, QScrollBar)]
        return self._on_least_used_of(seen) or self._on_widget()

    def _on_least_used_of(self, seen: Iterable[QWidget]) -> Action | None:
        names = {name_of(one): one for one in seen}
        return self._click_on(names[self._use.least(names, self._random.choice)]) if names else None

    def _on_command(self) -> Action:
        """Choose a command of the menus that was used seldom, whatever its place in them."""
        commands = self._use.commands
        possible = [name for name, one in commands.items() if one.isEnabled() and one.isVisible()]
        name = self._use.least(possible, self._random.choice)
        return f"command {name}", [commands[name].trigger]

    def _on_keyboard(self) -> Action:
        held = self._random.random() < 0.4
        key = self._random.choice(WITH_CONTROL if held else KEYS)
        target = self.window.focusWidget() or self.window
        name = f"{'Ctrl+' if held else ''}{key.name} in {name_of(target)}"
        return name, [lambda: press(target, key, CONTROL if held else NONE)]

    def _on_wheel(self) -> Action:
        widget = self._pick(QGraphicsView, QAbstractSpinBox, QComboBox, QAbstractSlider)
        amount = self._random.choice([-120, 120])
        return f"wheel over {name_of(widget)}", [lambda: scroll(_inside(widget), amount)]

    def _on_drawing(self) -> Action:
        whole = self._pick(QGraphicsView, QAbstractSlider)
        self._use.note(whole)
        widget, left = _inside(whole), Qt.MouseButton.LeftButton
        start, *way = [self._place(widget) for _ in range(5)]
        deeds: list[Callable[[], object]] = [
            lambda: QTest.mousePress(widget, left, NONE, start),
            *(partial(QTest.mouseMove, widget, place) for place in way),
            lambda: QTest.mouseRelease(widget, left, NONE, way[-1]),
        ]
        return f"drag in {name_of(whole)}", deeds

    def _on_entry(self) -> Action:
        return self._write_into(self._pick(QLineEdit))

    def _write_into(self, widget: QWidget) -> Action:
        """Replace what stands in an entry, key by key."""
        self._use.note(widget)
        text = self._random.choice(TEXTS)
        deeds: list[Callable[[], object]] = [
            lambda: _press(widget, Qt.Key.Key_A, CONTROL),
            lambda: _press(widget, Qt.Key.Key_Delete),
            *(partial(_type, widget, letter) for letter in text),
        ]
        return f"{text!r} into {name_of(widget)}", deeds

    def _on_menu(self) -> Action:
        bar = self.window.menuBar()
        place = bar.actionGeometry(self._random.choice(bar.actions())).center()
        return "click on the menu bar", [lambda: click(bar, place)]

    def _on_context_menu(self) -> Action:
        widget = _inside(self._pick(QGraphicsView, QAbstractItemView, QLineEdit))
        place = self._place(widget)
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, widget.mapToGlobal(place))
        return f"right click on {name_of(widget)}", [lambda: QApplication.sendEvent(widget, event)]

    def _on_frame(self) -> Action:
        sides = self._random.randrange(640, 1700), self._random.randrange(400, 1100)
        return f"resize to {sides}", [lambda: self.window.resize(*sides)]

    def _on_file(self) -> Action:
        path = self._file()
        return f"drop {path.name}", [lambda: self.window.open_requested.emit(path)]


def _asking() -> QWidget | None:
    """Return the menu or dialog that waits for an answer; a dialog keeps ``play`` waiting."""
    return QApplication.activePopupWidget() or QApplication.activeModalWidget()


def memory() -> float:
    """Return the process's resident memory in MB (10**6 bytes)."""
    return float(psutil.Process().memory_info().rss) / 1e6


def _click_in(_window: QWidget, widget: QWidget, place: QPoint | None) -> None:
    click(widget, place)


def _press(widget: QWidget, key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
    if isValid(widget):  # a row of a form, or a dialog, may go with its own entry
        press(widget, key, modifiers)


def _type(widget: QWidget, letter: str) -> None:
    if isValid(widget):
        QTest.keyClicks(widget, letter)


def _inside(widget: QWidget) -> QWidget:
    """Return the part of ``widget`` that gets the mouse."""
    return widget.viewport() if isinstance(widget, QAbstractScrollArea) else widget


PATIENCE = 300.0  # most seconds that a compiler at work gets at the end


def play_in(folder: Path, seed: int, actions: int, tell: Callable[[str], object]) -> Findings:
    """Open a window whose files are in ``folder``, play, close it; return what was found."""
    with Notifications() as notifications:
        application = Application(
            notifications,
            folder / "window.json",
            lambda session: free_path(folder, stem(session), ".jsonl"),
        )
        monkey = Monkey(application, folder, seed)
        errors = monkey.findings.errors
        notifications.listeners.append(lambda said: errors.extend([said] * ("report it" in said)))
        application.window.resize(1280, 800)
        application.window.show()
        try:
            found = monkey.play(actions, tell)
            application.runs.batch.cancel()
            application.run_controller.stop()
            begun = time.monotonic()
            while not application.background.idle and time.monotonic() - begun < PATIENCE:
                rest(PAUSE)
        finally:
            begun = time.monotonic()
            while not application.close():  # a compiler at work holds up a thread's end
                if time.monotonic() - begun > PATIENCE:
                    errors.append("a thread did not end")
                    break
            application.window.deleteLater()
            application.deleteLater()
    return found
