"""The main window: it shows what it is given, and emits a signal for each wish of the user."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QEvent, QSettings, Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QMainWindow, QVBoxLayout, QWidget

from gpu.core.instance import Instance
from gpu.core.snapshot import Snapshot, Wanted
from views.frame.about import about_box, keys_box
from views.frame.actions import Actions, call_with_key
from views.frame.activity import Activity
from views.frame.banner import Banner, Severity
from views.frame.dashboard import Dashboard
from views.frame.file_dialogs import FileDialogs
from views.frame.readout import Readout
from views.frame.run_bar import RunBar
from views.frame.theme_choice import ThemeChoice
from views.frame.window_state import WindowState
from views.problem_display import FILES, problem_of
from views.setup.setup_panel import SetupPanel
from views.widgets import theme as themes
from views.widgets.buttons import AccessibleNames
from views.widgets.icons import application_icon
from views.widgets.labels import ElidedLabel
from views.widgets.layouts import fill
from views.widgets.view import View

V = TypeVar("V", bound=View)


class MainWindow(QMainWindow):
    """Setup panel, run bar, readout and views.

    Parameters
    ----------
    settings : QSettings
        Where the window's state is kept.

    Attributes
    ----------
    activity : Activity
        What the program is doing.
    instance : Instance or None
        The one that is shown.
    has_state : bool
        Whether there is a run to export.
    open_requested : Signal
        Path of an instance to load.
    start_requested, pause_requested, resume_requested, step_requested, stop_requested : Signal
        The buttons of the run.
    wanted_changed : Signal
        The visible views need other parts of a snapshot.
    export_requested : Signal
        A name in ``EXPORTS`` and the path to write.
    picture_requested : Signal
        Key of a view, "png" or "svg", and the path to write.
    closing : Signal
        The window is about to close.
    """

    open_requested = Signal(object)
    start_requested = Signal()
    pause_requested = Signal()
    resume_requested = Signal()
    step_requested = Signal()
    stop_requested = Signal()
    wanted_changed = Signal()
    export_requested = Signal(str, object)
    picture_requested = Signal(str, str, object)
    closing = Signal()

    def __init__(self, settings: QSettings) -> None:
        super().__init__()
        self._dialogs = FileDialogs(self, settings)
        self._dialogs.to_open.connect(self.open_requested)
        self._dialogs.to_export.connect(self.export_requested)
        self._dialogs.to_picture.connect(self.picture_requested)
        self.activity = Activity.IDLE
        self.instance: Instance | None = None
        self.has_state = False
        self._blocked = ""
        self._chosen = ThemeChoice(settings, self)
        self.setWindowTitle("Formicarium")
        self.setWindowIcon(application_icon())
        self.setAcceptDrops(True)
        self.setMinimumSize(940, 572)
        self.dashboard = Dashboard()
        self.actions_ = Actions(self, [(v.key, v.title) for v in self.dashboard.all_views.values()])
        self._show_problem()
        self.setup = SetupPanel()
        self.run_bar = RunBar(self.actions_)
        self.readout = Readout()
        self.banner = Banner(self, self.statusBar())
        self.where = ElidedLabel()
        self.statusBar().addWidget(self.where, 1)
        self.statusBar().setSizeGripEnabled(False)
        self._lay_out()
        themes.apply(self._chosen.theme)  # earlier, each change of a parent would style it again
        for widget in self.findChildren(QWidget):
            widget.setAcceptDrops(False)  # else it would take files dropped on it
        self._names = AccessibleNames(self)
        self._connect()
        self._bind_actions()
        self._state = WindowState(self, self.dashboard, self.actions_, settings)
        self._state.restore()
        self.setup.setVisible(self.actions_["panel"].isChecked())
        self.apply_theme()
        self.actions_.show_recent(self._dialogs.recent(), self.open_requested.emit)
        self.show_activity(Activity.IDLE)
        self.dashboard.panes[0].views[0].setFocus()

    def view(self, kind: type[V]) -> V:
        """Return the view of the class ``kind``."""
        return self.dashboard.view(kind)

    @property
    def wanted(self) -> Wanted:
        """What the visible views need."""
        return Wanted.NUMBERS if self.isMinimized() else self.dashboard.wanted

    @property
    def problem(self) -> str:
        """Why a run cannot start now, or nothing."""
        return self._blocked or self.setup.problem

    @property
    def theme(self) -> themes.Theme:
        """The colours and the type in use."""
        theme = self._chosen.theme
        return theme.scaled(themes.PRESENTATION_SCALE) if self.presenting else theme

    @property
    def presenting(self) -> bool:
        """Whether the window fills the screen for a lecture."""
        return self.actions_["present"].isChecked()

    def show_instance(self, instance: Instance | None) -> None:
        """Show another instance, in empty views."""
        self.instance = instance
        self.has_state = False
        self.setup.show_instance(instance)
        self.readout.show_instance(instance)
        self.dashboard.show_instance(instance)
        self.setWindowTitle(f"{instance.name} – Formicarium" if instance else "Formicarium")
        self._dialogs.stem = instance.name if instance else "formicarium"
        if instance is not None and instance.path is not None:
            self.actions_.show_recent(
                self._dialogs.remember(instance.path), self.open_requested.emit
            )
        self._enable()

    def begin_run(self) -> None:
        """Empty the views for a new run."""
        self.has_state = False
        self.readout.begin_run()
        self.dashboard.begin_run()
        self._enable()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show the state of the run."""
        self.readout.show_snapshot(snapshot)
        self.dashboard.show_snapshot(snapshot)
        if snapshot.iteration > 0 and not self.has_state:
            self.has_state = True
            self._enable()

    def show_activity(self, activity: Activity) -> None:
        """Show what the program is doing, and enable the buttons that can be pressed."""
        self.activity = activity
        self.run_bar.show_activity(activity)
        self.setup.lock(locked=activity.has_run)
        self._enable()

    def block(self, why: str) -> None:
        """Let no run start, for the reason ``why``; an empty reason allows it again."""
        self._blocked = why
        self._enable()

    def tell(self, sentence: str, severity: Severity = "error") -> None:
        """Show one sentence in the banner."""
        self.banner.tell(sentence, severity)

    def apply_theme(self) -> None:
        """Change the colours and the type of all parts."""
        theme = self.theme
        themes.apply(theme)
        for part in (self.setup, self.run_bar, self.readout, self.banner, self.dashboard):
            part.apply_theme(theme)
        self.actions_.themes[self._chosen.name].setChecked(True)

    def choose_theme(self, name: str) -> None:
        """Use the theme "system", "light" or "dark"."""
        self._chosen.choose(name)

    def choose_other_theme(self) -> None:
        """Change from the dark theme to the light one, or back."""
        self.choose_theme("light" if self.theme.dark else "dark")

    def ask_for_instance(self) -> None:
        """Let the user choose a file to open."""
        self._dialogs.ask_to_open("Open an instance or a recorded run", FILES)

    def event(self, event: QEvent) -> bool:
        """Leave Space to a button that has the focus; tell when the window is minimized."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Space
            and isinstance(self.focusWidget(), QAbstractButton)
        ):
            event.accept()
            return True
        if event.type() == QEvent.Type.WindowStateChange:
            self.wanted_changed.emit()
        return super().event(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept a local file."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the file, or the first of several."""
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        event.acceptProposedAction()
        self.open_requested.emit(paths[0])
        if len(paths) > 1:
            self.tell(f"Only {paths[0].name} of {len(paths)} files is opened", "info")

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save the state, hide the window at once, then let the program end its work."""
        self._state.save()
        self.hide()
        self.closing.emit()
        super().closeEvent(event)

    def _lay_out(self) -> None:
        views = self.readout, (self.dashboard, 1)
        right = fill(QVBoxLayout(), *views, margins=(4, 8, 8, 4), spacing=8)
        across = fill(QHBoxLayout(), self.setup, (right, 1), spacing=0)
        central = QWidget()
        central.setObjectName("central")
        fill(QVBoxLayout(central), self.run_bar, (across, 1), spacing=0)
        self.setCentralWidget(central)

    def _connect(self) -> None:
        self.setup.changed.connect(self._enable)
        self.setup.instance.open_requested.connect(self.ask_for_instance)
        self.setup.instance.path_chosen.connect(self.open_requested)
        self.dashboard.wanted_changed.connect(self.wanted_changed)
        self.dashboard.arranged.connect(self._show_problem)
        self.dashboard.exports_changed.connect(self._enable)
        self.dashboard.picture_requested.connect(self._dialogs.ask_for_picture)
        self._chosen.changed.connect(self.apply_theme)

    def _show_problem(self) -> None:
        self.actions_.show_problem(problem_of(self.instance), list(self.dashboard.views))

    def _bind_actions(self) -> None:
        """Say what each action does."""
        act, dashboard, views = self.actions_, self.dashboard, self.dashboard.all_views.values()
        view_keys = [key for view in views for key in view.keys]
        act.connect(
            {
                "open": self.ask_for_instance,
                "quit": self.close,
                "start": self.start_requested.emit,
                "pause": self._toggle_pause,
                "step": self.step_requested.emit,
                "stop": self.stop_requested.emit,
                "toggle": self._toggle_run,
                "seed": self.setup.draw_seed,
                "bundled": self.setup.instance.bundled_button.click,
                "panel": self._show_panel,
                "alone": dashboard.toggle_alone,
                "present": self._present,
                "theme": self.choose_other_theme,
                "fit": dashboard.fit,
                "keys": lambda: keys_box(self, [*act.keys(), *view_keys]),
                "about": lambda: about_box(self),
            }
        )
        call_with_key(act.exports, self._dialogs.ask_for_export)
        call_with_key(act.pictures, lambda picture: self._dialogs.ask_for_picture(*picture))
        call_with_key(act.views, dashboard.show_view)
        call_with_key(act.themes, self.choose_theme)

    def _enable(self) -> None:
        """Enable what can be done now, and say why no run can start if none can."""
        possible = dict.fromkeys(self.actions_.exports, self.has_state) | {"window": True}
        for view in self.dashboard.all_views.values():
            possible |= view.exports
        self.actions_.enable(
            self.activity, self.problem, instance=self.instance is not None, exports=possible
        )
        if not self.activity.has_run:
            self.run_bar.state.setText(self.problem or Activity.IDLE.value)

    def _toggle_pause(self) -> None:
        (self.resume_requested if self.activity.rests else self.pause_requested).emit()

    def _toggle_run(self) -> None:
        for name in ("start", "pause"):
            if self.actions_[name].isEnabled():
                self.actions_[name].trigger()
                return

    def _show_panel(self) -> None:
        self.setup.setVisible(self.actions_["panel"].isChecked())

    def _present(self) -> None:
        """Fill the screen, without menus and panel, or go back."""
        self.menuBar().setVisible(not self.presenting)
        self.setup.setVisible(not self.presenting and self.actions_["panel"].isChecked())
        full = Qt.WindowState.WindowFullScreen
        state = self.windowState()
        self.setWindowState(state | full if self.presenting else state & ~full)
        self.apply_theme()
