"""The window: it shows what it is told, and tells what the user asks for."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QSettings, Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QHBoxLayout,
    QMainWindow,
    QVBoxLayout,
    QWidget,
)

from gpu.instances.instance import Instance
from gpu.snapshot import Snapshot, Wanted
from views import theme as themes
from views.about import about_box, keys_box
from views.actions import Actions
from views.activity import Activity
from views.adjacency_view import AdjacencyView
from views.banner import Banner, Severity
from views.classes_view import ClassesView
from views.comparison_view import ComparisonView
from views.convergence_view import ConvergenceView
from views.dashboard import Dashboard
from views.decision_view import DecisionView
from views.device_view import DeviceView
from views.elided import ElidedLabel
from views.files import Files
from views.graph_view import GraphView
from views.hit_rate_view import HitRateView
from views.icons import application_icon
from views.log_view import LogView
from views.pheromone_view import PheromoneView
from views.problems import FILES, face_of
from views.readout import Readout
from views.run_bar import RunBar
from views.setup_panel import SetupPanel
from views.speedup_view import SpeedupView
from views.step_controls import KEYS as STEP_KEYS
from views.tour_view import TourView
from views.window_state import WindowState


class MainWindow(QMainWindow):
    """Setup panel, run bar, readout and views.

    Parameters
    ----------
    settings : QSettings
        Where the window's state is kept.

    Attributes
    ----------
    open_requested : Signal
        Path of an instance to load.
    start_requested, pause_requested, resume_requested, step_requested, stop_requested : Signal
        The buttons of the run.
    wanted_changed : Signal
        The views in sight need other parts of a snapshot.
    export_requested : Signal
        A name in ``EXPORTS`` and the path to write.
    picture_requested : Signal
        Key of a view, "png" or "svg", and the path to write.
    closing : Signal
        The window is about to go.
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
        self._settings = settings
        self._files = Files(self, settings)
        self._files.to_open.connect(self.open_requested)
        self._files.to_export.connect(self.export_requested)
        self._files.to_picture.connect(self.picture_requested)
        self._activity = Activity.IDLE
        self._instance: Instance | None = None
        self._has_state = False
        self._blocked = ""
        name = str(settings.value("theme", "system"))
        self._theme_name = name if name in ("light", "dark") else "system"
        themes.apply(self._named_theme())
        self.setWindowTitle("Formicarium")
        self.setWindowIcon(application_icon())
        self.setAcceptDrops(True)
        self.setMinimumSize(940, 560)

        self.tour, self.decision, self.convergence = TourView(), DecisionView(), ConvergenceView()
        self.pheromone, self.hit_rates = PheromoneView(), HitRateView()
        self.speedup, self.device_view, self.log = SpeedupView(), DeviceView(), LogView()
        self.comparison = ComparisonView()
        self.graph, self.adjacency, self.classes = GraphView(), AdjacencyView(), ClassesView()
        tours, graphs = (self.tour, self.decision), (self.graph, self.adjacency)
        upper = self.convergence, self.classes, self.hit_rates, self.device_view
        lower = self.pheromone, self.speedup, self.comparison, self.log
        self.dashboard = Dashboard((*tours, *graphs, *upper, *lower))
        self.actions_ = Actions(self, [(v.key, v.title) for v in self.dashboard.every.values()])
        self._show_problem()
        self.setup = SetupPanel()
        self.run_bar = RunBar(self.actions_)
        self.readout = Readout()
        self.banner = Banner(self)
        self.where = ElidedLabel()
        self.statusBar().addWidget(self.where, 1)
        self.statusBar().setSizeGripEnabled(False)

        right = QVBoxLayout()
        right.setContentsMargins(4, 8, 8, 4)
        right.setSpacing(8)
        right.addWidget(self.readout)
        right.addWidget(self.dashboard, 1)
        across = QHBoxLayout()
        across.setContentsMargins(0, 0, 0, 0)
        across.setSpacing(0)
        across.addWidget(self.setup)
        across.addLayout(right, 1)
        central = QWidget()
        central.setObjectName("central")
        down = QVBoxLayout(central)
        down.setContentsMargins(0, 0, 0, 0)
        down.setSpacing(0)
        down.addWidget(self.run_bar)
        down.addLayout(across, 1)
        self.setCentralWidget(central)

        for widget in self.findChildren(QWidget):
            widget.setAcceptDrops(False)  # or it would keep dropped files from the window
        self._connect()
        self._state = WindowState(self, settings)
        self._state.restore()
        self.setup.setVisible(self.actions_["panel"].isChecked())
        self.apply_theme()
        self.actions_.show_recent(self._files.recent(), self.open_requested.emit)
        self.show_activity(Activity.IDLE)
        self.tour.graphics.setFocus()

    @property
    def wanted(self) -> Wanted:
        """What the views in sight need."""
        return Wanted.NUMBERS if self.isMinimized() else self.dashboard.wanted

    @property
    def problem(self) -> str:
        """Why a run cannot start now, or nothing."""
        return self._blocked or self.setup.problem

    @property
    def theme(self) -> themes.Theme:
        """The colours and the type in use."""
        theme = self._named_theme()
        return theme.scaled(themes.PRESENTATION_SCALE) if self.presenting else theme

    @property
    def presenting(self) -> bool:
        """Whether the window fills the screen for a lecture."""
        return self.actions_["present"].isChecked()

    def show_instance(self, instance: Instance | None) -> None:
        """Show another instance; the views are emptied."""
        self._instance = instance
        self._has_state = False
        self.setup.show_instance(instance)
        self.readout.show_instance(instance)
        self.dashboard.show_instance(instance)
        self.setWindowTitle(f"{instance.name} – Formicarium" if instance else "Formicarium")
        self._files.stem = instance.name if instance else "formicarium"
        if instance is not None and instance.path is not None:
            self.actions_.show_recent(self._files.remember(instance.path), self.open_requested.emit)
        self._enable()

    def begin_run(self) -> None:
        """Empty the views for a new run."""
        self._has_state = False
        self.readout.begin_run()
        self.dashboard.begin_run()
        self._enable()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show the state of the run."""
        self.readout.show_snapshot(snapshot)
        self.dashboard.show_snapshot(snapshot)
        if snapshot.iteration > 0 and not self._has_state:
            self._has_state = True
            self._enable()

    def show_activity(self, activity: Activity) -> None:
        """Show what the program is at; decides which buttons can be pressed."""
        self._activity = activity
        self.run_bar.show_activity(activity)
        self.setup.lock(locked=activity.has_run)
        pause = self.actions_["pause"]
        paused = activity is Activity.PAUSED
        pause.setText("Resume" if paused else "Pause")
        pause.setToolTip(f"{'Go on' if paused else 'Rest'} (Space or P)")
        self._enable()

    def block(self, why: str) -> None:
        """Let no run start because of ``why``; an empty text allows it again."""
        self._blocked = why
        self._enable()

    def tell(self, sentence: str, severity: Severity = "error") -> None:
        """Show one sentence in the banner."""
        self.banner.tell(sentence, severity)

    def apply_theme(self) -> None:
        """Dress the window in its theme."""
        theme = self.theme
        themes.apply(theme)
        for part in (self.setup, self.run_bar, self.readout, self.banner, self.dashboard):
            part.apply_theme(theme)
        self.actions_.themes[self._theme_name].setChecked(True)

    def choose_theme(self, name: str) -> None:
        """Use the theme "system", "light" or "dark"."""
        self._theme_name = name
        self._settings.setValue("theme", name)
        self.apply_theme()

    def ask_for_instance(self) -> None:
        """Let the user choose a file to open."""
        self._files.ask_to_open(
            "Open an instance or a recorded run",
            FILES,
        )

    def event(self, event: QEvent) -> bool:
        """Leave Space to a button that has the focus; follow the system's theme."""
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
        """Welcome a local file."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the file."""
        path = next(url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile())
        event.acceptProposedAction()
        self.open_requested.emit(Path(path))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep the window's state, go out of sight at once, then end what is under way."""
        self._state.save()
        self.hide()
        self.closing.emit()
        super().closeEvent(event)

    def _connect(self) -> None:
        act = self.actions_
        self.setup.changed.connect(self._enable)
        self.setup.instance.open_requested.connect(self.ask_for_instance)
        self.setup.instance.path_chosen.connect(self.open_requested)
        self.dashboard.wanted_changed.connect(self.wanted_changed)
        self.dashboard.arranged.connect(self._show_problem)
        for view in (self.adjacency, self.classes):
            view.pointed.connect(self.graph.point_out)
        self.speedup.measured.connect(self._enable)
        self.comparison.measured.connect(self._enable)
        self.dashboard.picture_requested.connect(self._files.ask_for_picture)
        for name, slot in (
            ("open", self.ask_for_instance),
            ("quit", self.close),
            ("start", self.start_requested.emit),
            ("pause", self._toggle_pause),
            ("step", self.step_requested.emit),
            ("stop", self.stop_requested.emit),
            ("toggle", self._toggle_run),
            ("seed", self.setup.draw_seed),
            ("bundled", self.setup.instance.bundled_button.click),
            ("panel", self._show_panel),
            ("alone", self.dashboard.toggle_alone),
            ("present", self._present),
            ("theme", self._other_theme),
            ("fit", self.dashboard.fit),
            ("keys", lambda: keys_box(self, [*act.keys(), *STEP_KEYS])),
            ("about", lambda: about_box(self)),
        ):
            act[name].triggered.connect(lambda _=False, slot=slot: slot())
        for name, action in act.exports.items():
            action.triggered.connect(lambda _=False, name=name: self._files.ask_for_export(name))
        for (key, form), action in act.pictures.items():
            action.triggered.connect(
                lambda _=False, key=key, form=form: self._files.ask_for_picture(key, form)
            )
        for key, action in act.views.items():
            action.triggered.connect(lambda _=False, key=key: self.dashboard.show_view(key))
        for name, action in act.themes.items():
            action.triggered.connect(lambda _=False, name=name: self.choose_theme(name))
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._system_theme_changed)

    def _named_theme(self) -> themes.Theme:
        named = {"light": themes.LIGHT, "dark": themes.DARK}
        return named.get(self._theme_name) or themes.system_theme()

    def _enable(self) -> None:
        act, activity = self.actions_, self._activity
        problem = "" if activity.has_run else self.problem
        act["start"].setEnabled(not activity.has_run and not problem)
        act["start"].setToolTip(problem or "Start a run with these choices (Space)")
        act["pause"].setEnabled(activity in (Activity.RUNNING, Activity.PAUSED))
        steps = activity in (Activity.RUNNING, Activity.PAUSED) or act["start"].isEnabled()
        act["step"].setEnabled(steps)
        act["stop"].setEnabled(activity.has_run and activity is not Activity.STOPPING)
        act["seed"].setEnabled(not activity.has_run)
        act["fit"].setEnabled(self._instance is not None)
        compared = self.comparison.report is not None
        possible = {"window": True, "speedup": bool(self.speedup.reports)}
        possible |= {"comparison": compared, "comparison-lines": compared}
        for name, action in act.exports.items():
            action.setEnabled(possible.get(name, self._has_state))
        if not activity.has_run:
            self.run_bar.state.setText(problem or Activity.IDLE.value)

    def _show_problem(self) -> None:
        face = face_of(self._instance)
        self.actions_.show_problem(face.panes, face.exports)

    def _toggle_pause(self) -> None:
        paused = self._activity is Activity.PAUSED
        (self.resume_requested if paused else self.pause_requested).emit()

    def _toggle_run(self) -> None:
        for name in ("start", "pause"):
            if self.actions_[name].isEnabled():
                self.actions_[name].trigger()
                return

    def _show_panel(self) -> None:
        self.setup.setVisible(self.actions_["panel"].isChecked())

    def _present(self) -> None:
        present = self.presenting
        self.menuBar().setVisible(not present)
        self.statusBar().setVisible(not present)
        self.setup.setVisible(not present and self.actions_["panel"].isChecked())
        self.setWindowState(
            self.windowState() | Qt.WindowState.WindowFullScreen
            if present
            else self.windowState() & ~Qt.WindowState.WindowFullScreen
        )
        self.apply_theme()

    def _other_theme(self) -> None:
        self.choose_theme("light" if self.theme.dark else "dark")

    def _system_theme_changed(self) -> None:
        if self._theme_name == "system":
            self.apply_theme()
