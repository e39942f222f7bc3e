"""A monkey at the window: random clicks, keys, wheels and drags, as from a user's hands.

    python -m tests.monkey --seed 1 --actions 2000

It prints how much memory the process has on the way, the longest stalls with the place where the
window's thread was held up, and every error that a user would have been asked to report. A seed
repeats what the monkey does, but not how far a run has come meanwhile.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from unittest import mock

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QDesktopServices
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

from app.notifications import Notifications
from app.window.application import Application, qt_application
from app.window.process import garbage_collection
from app.window.process.stall_meter import StallMeter
from gpu.problems.bundled import bundled
from gpu.run.log.recorder import free_path, stem
from tests.hands import NONE, click, double_click, press, scroll, write

ROOT = Path(__file__).resolve().parents[1]
OWN = tuple(str(ROOT / room) for room in ("app", "gpu", "views", "tests"))
CONTROL = Qt.KeyboardModifier.ControlModifier
LARGEST = 1100  # places of an instance that the monkey opens
LONG = 0.1  # seconds after which a stall is reported
EVERY = 50  # actions between two looks at the memory
PATIENCE = 120.0  # most seconds that a compiler at work gets at the end
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


@dataclass
class Findings:
    """What the monkey found."""

    errors: list[str] = field(default_factory=list)  # what asks to be reported
    # Seconds, those in which the window's thread worked itself, what was done, and where it was
    stalls: list[tuple[float, float, str, str]] = field(default_factory=list)
    memory: list[tuple[int, float]] = field(default_factory=list)  # actions, MB
    done: list[str] = field(default_factory=list)


class Watcher(threading.Thread):
    """Looks where the window's thread is while it is held up."""

    def __init__(self) -> None:
        super().__init__(name="watcher", daemon=True)
        self.begun = time.perf_counter()  # of the action under way
        self.place = ""
        self.over = threading.Event()
        self._watched = threading.get_ident()

    def run(self) -> None:
        while not self.over.wait(LONG / 4):
            if time.perf_counter() - self.begun > LONG / 2:
                frames = traceback.extract_stack(sys._current_frames()[self._watched])
                own = [one for one in frames if one.filename.startswith(OWN)]
                names = [f"{Path(one.filename).stem}:{one.lineno} {one.name}" for one in own]
                self.place = " < ".join(reversed(names[-5:]))


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
        self._meter, self._watcher = StallMeter(), Watcher()
        self._accounted = 0  # actions

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
                self._watcher.begun, self._watcher.place = time.perf_counter(), ""
                self._meter.start()
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
        self._watcher.over.set()
        self._watcher.join()
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
                (meter.longest, meter.most_work, found.done[-1], self._watcher.place)
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
            self._on_widget: 40,
            self._on_keyboard: 25,
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
        found = [
            one
            for one in self.window.findChildren(QWidget)
            if isinstance(one, kinds or QWidget)
            and one.isVisible()
            and one.isEnabled()
            and not one.visibleRegion().isEmpty()
        ]
        return self._random.choice(found or [self.window])

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
        sides = self._random.randrange(940, 1700), self._random.randrange(572, 1100)
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
            application.measurements.cancel()
            application.run_controller.stop()
            begun = time.monotonic()
            while not application.background.idle and time.monotonic() - begun < PATIENCE:
                QTest.qWait(PAUSE)
        finally:
            begun = time.monotonic()
            while not application.close():  # a compiler at work holds up a thread's end
                if time.monotonic() - begun > PATIENCE:
                    errors.append("a thread did not end")
                    break
            application.window.deleteLater()
    return found


def main() -> int:
    """Play as the command line says; return 1 if anything asked to be reported."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--actions", type=int, default=2000)
    parser.add_argument("--list", action="store_true", help="print every action")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="formicarium-monkey-") as place:
        for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            os.environ[name] = place
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        qt_application()
        garbage_collection.resume()
        say = partial(print, flush=True)
        with mock.patch.object(QDesktopServices, "openUrl"):  # of the folder with the logs
            found = play_in(Path(place), chosen.seed, chosen.actions, say)
    if chosen.list:
        say(*found.done, sep="\n")
    for seconds, worked, action, where in sorted(found.stalls, reverse=True):
        say(f"{1000 * seconds:.0f} ms, {1000 * worked:.0f} of work  {action}  {where}")
    long = sum(worked > LONG for _, worked, _, _ in found.stalls)
    say(f"{len(found.stalls)} stalls of more than {1000 * LONG:.0f} ms, {long} of so much work")
    say(*found.errors, sep="\n")
    return 1 if found.errors else 0


if __name__ == "__main__":
    sys.exit(main())
