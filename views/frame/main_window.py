"""The main window: it shows what it is given, and emits a signal for each wish of the user."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, TypeVar

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QHBoxLayout,
    QMainWindow,
    QVBoxLayout,
    QWidget,
)

from gpu.core.instance import Instance
from gpu.core.problem import Problem
from gpu.core.snapshot import Snapshot, Wanted
from views.frame.actions import Actions, call_with_key
from views.frame.activity import Activity
from views.frame.banner import Banner, Severity
from views.frame.change import Change
from views.frame.dashboard.dashboard import Dashboard
from views.frame.dialogs.about import about_box, ask
from views.frame.dialogs.file_dialogs import FileDialogs
from views.frame.dialogs.keys import KeysDialog
from views.frame.pages import Pages
from views.frame.presentation import Presentation
from views.frame.quitting import Question, question
from views.frame.readout import Readout
from views.frame.run_bar import RunBar
from views.frame.scrolled import Scrolled
from views.frame.settings import window_state
from views.frame.settings.kept_choices import KeptChoices
from views.frame.settings.settings import Settings
from views.frame.wishes import Wishes
from views.gallery.gallery import Gallery
from views.problem_display import is_on_globe, problem_of
from views.race.race_view import RaceView
from views.setup.setup_panel import SetupPanel
from views.tour.tour_view import TourView
from views.widgets import theme as themes
from views.widgets.buttons import AccessibleNames
from views.widgets.icons import application_icon
from views.widgets.labels import ElidedLabel
from views.widgets.layouts import fill
from views.widgets.steps import StepByStep
from views.widgets.view import View

V = TypeVar("V", bound=View)


class MainWindow(QMainWindow):
    """Setup panel, run bar, readout and views."""

    open_requested = Signal(object)  # path of an instance to load
    improve_requested = Signal()
    improve_given_requested = Signal()
    closing = Signal()

    def __init__(self, settings: Settings) -> None:
        QApplication.setFont(themes.DARK.font())  # before there are widgets that get it
        super().__init__()
        self._settings = settings
        self.dialogs = FileDialogs(self, settings)
        self.dialogs.to_open.connect(self.open_requested)
        self.activity = Activity.IDLE
        self.run, self.race = Wishes(self), Wishes(self)
        self._racing = False  # whether the activity is that of a race
        self._instance: Instance | None = None
        # whose state is shown, to be exported: of a "run", of a "log", or of none
        self._state_of = ""
        self._enables = True  # whether actions are enabled as soon as something changes
        self.has_unsaved: Callable[[], bool] = lambda: False  # whether a drawing would be lost
        self._blocks: dict[str, str] = {}  # why nothing can start now, by who says it
        self.theme_choice = window_state.ThemeChoice(settings, self)
        self.setWindowTitle("Formicarium")
        self.setWindowIcon(application_icon())
        self.setAcceptDrops(True)
        self.setAnimated(False)  # else its contents would be laid out for each of many sizes
        self.setMinimumSize(640, 400)  # of a screen of 1280 × 800 pixels, all twice as large
        self.gallery, self.dashboard = Gallery(), Dashboard()
        self.actions_ = Actions(self, [(v.key, v.title) for v in self.dashboard.all_views.values()])
        self._show_problem()
        self.setup = SetupPanel()
        self._kept = KeptChoices(self.setup, self.actions_, settings)
        self.record = self._kept.record
        self.run_bar = RunBar(self.actions_)
        self.readout = Readout()
        self.banner = Banner(self, self.statusBar())
        self.presentation = Presentation(
            self, self.dashboard, self.actions_, settings, self.run_bar, self.readout
        )
        self.where = ElidedLabel()
        self.statusBar().addWidget(self.where, 1)
        self.statusBar().setSizeGripEnabled(False)
        self._lay_out()
        # Earlier, each change of a parent would style it again.
        themes.apply(self.theme_choice.theme, self)
        for widget in self.findChildren(QWidget):
            widget.setAcceptDrops(False)  # else it would take files dropped on it
        self._names = AccessibleNames(self)
        self._change = Change(self)
        self.steps = StepByStep(self, hidden=True)  # of pictures
        self.closing.connect(self.steps.finish)
        self._connect()
        self._bind_actions()
        window_state.restore(settings, self, self.dashboard, self.actions_)
        self._show_panel()
        self._change_theme()
        self.paint_now()
        self._show_recent()
        self.show_activity(Activity.IDLE)
        self.pages.show_gallery()

    def view(self, kind: type[V]) -> V:
        """Return the view of the class ``kind``."""
        found = self.dashboard.all_views[kind.key]
        assert isinstance(found, kind)
        return found

    @property
    def wanted(self) -> Wanted:
        """What the visible views need."""
        return Wanted.NUMBERS if self.isMinimized() else self.dashboard.wanted

    @property
    def blocked(self) -> str:
        """Why nothing can start now, whatever is set up; or nothing."""
        return next(filter(None, self._blocks.values()), "")

    @property
    def problem(self) -> str:
        """Why a run cannot start now, or nothing."""
        return self.blocked or self.setup.problem

    @property
    def for_race(self) -> bool:
        """Whether buttons and keys are for a race: it goes on, or it is in sight and set up."""
        view = self.view(RaceView)
        idle = self.activity is Activity.IDLE
        return self._racing or (idle and view.isVisible() and view.lanes > 0)

    @property
    def wishes(self) -> Wishes:
        """Where buttons and keys tell what the user wants: of the race, or of the run."""
        return self.race if self.for_race else self.run

    @property
    def theme(self) -> themes.Theme:
        """The colours and the type in use."""
        theme = self.theme_choice.theme
        return theme.presented if self.presentation.goes_on else theme

    def show_instance(self, instance: Instance | None) -> None:
        """Show another instance, in empty views."""
        self.steps.finish()  # a picture of the former one
        self._instance = instance
        self._state_of = ""
        self._change.hold()
        self._enables = False  # every part asks for it
        (self.pages.show_views_soon if instance else self.pages.show_gallery)()
        self.setup.show_instance(instance)
        self.readout.show_instance(instance)
        self.dashboard.show_instance(instance)
        self.setWindowTitle(f"{instance.name} – Formicarium" if instance else "Formicarium")
        self.dialogs.give_up()
        if instance is not None and instance.path is not None:
            self.dialogs.remember(instance.path)
            self._show_recent()
        self._enables = True
        self._enable()

    def take_edited(self, instance: Instance) -> None:
        """Note that ``instance`` is in sight; :func:`views.frame.edited.show_edited` shows it."""
        self._instance = instance
        self._enable()

    def begin_run(self) -> None:
        """Empty the views for a new run."""
        self.steps.finish()
        self._state_of = ""
        self._kept.save()
        self.dialogs.give_up()
        self.pages.show_views()
        self.readout.begin_run()
        self.dashboard.begin_run()
        self._enable()

    def show_snapshot(self, snapshot: Snapshot, of: Literal["run", "log"] = "run") -> None:
        """Show the state of the run, or the one that a log has recorded."""
        self.readout.show_snapshot(snapshot)
        self.dashboard.show_snapshot(snapshot)
        if snapshot.iteration > 0 and self._state_of != of:
            self._state_of = of
            self._enable()

    def show_activity(self, activity: Activity, *, racing: bool = False) -> None:
        """Show what the program is doing, and enable the buttons that can be pressed.

        If it is ``racing``, they are for the race.
        """
        self.activity, self._racing = activity, racing
        self.run_bar.show_activity(activity)
        self.setup.lock(locked=activity.has_run, live=not (racing or activity.builds))
        self._enable()

    def block(self, who: str, why: str) -> None:
        """Let no run start, for the reason ``why`` of ``who``; an empty one takes that back."""
        if why != self._blocks.get(who, ""):
            self._blocks[who] = why
            self._enable()

    def tell(self, sentence: str, severity: Severity = "error") -> None:
        """Show one sentence in the banner."""
        self.banner.tell(sentence, severity)

    def _theme_steps(self) -> Iterator[object]:
        """Change the colours and the type of all parts, one step after the other."""
        theme = self.theme
        self.actions_.themes[self.theme_choice.name].setChecked(True)
        steps = themes.apply(theme, self, later=self.dashboard.hidden)
        yield None
        for step in steps:
            yield step()
        for part in (self.setup, self.run_bar, self.banner, self.gallery, self.dashboard):
            yield part.apply_theme(theme)

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
            self.dashboard.wanted_changed.emit()
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

    def ask(self, question: str, yes: str, no: str, agreed: Callable[[], object]) -> None:
        """Ask before a run is lost; ``agreed`` is called if the answer is ``yes``."""
        ask(self, question, yes, no, agreed)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save the state, hide the window at once, then let the program end its work.

        A user is asked first if something would be lost; the program is not.
        """
        if event.spontaneous() and self._question:
            event.ignore()
            self._quit()
            return
        window_state.save(self._settings, self, self.dashboard, self.actions_)
        self._kept.save()
        self.hide()
        self.closing.emit()
        super().closeEvent(event)

    @property
    def _question(self) -> Question | None:
        going = {"racing": self._racing, "study": bool(self._blocks.get("study"))}
        return question(self.activity, **going, unsaved=self.has_unsaved())

    def _lay_out(self) -> None:
        views = QWidget()
        parts = self.readout, (self.dashboard, 1), self.presentation.caption
        fill(QVBoxLayout(views), *parts, margins=(4, 8, 8, 4), spacing=8)
        self.pages = Pages(self.gallery, views)
        across = fill(QHBoxLayout(), self.setup, (self.pages, 1), spacing=0)
        central = QWidget()
        central.setObjectName("central")
        fill(QVBoxLayout(central), self.run_bar, (across, 1), spacing=0)
        self._scrolled = Scrolled(central)
        self.setCentralWidget(self._scrolled)

    def _connect(self) -> None:
        self.setup.changed.connect(self._enable)
        self.setup.aim.changed.connect(lambda: self.run_bar.pace.choose(self.setup.aim.pace))
        self.setup.instance.open_requested.connect(self.dialogs.ask_to_open)
        self.setup.instance.path_chosen.connect(self.open_requested)
        self.dashboard.arranged.connect(self._show_problem)
        self.dashboard.turned.connect(self._enable)
        self.dashboard.asked.connect(self.pages.show_views)
        self.gallery.back_requested.connect(self.pages.show_views)
        self.pages.left_gallery.connect(self.dashboard.take_focus)
        self.pages.currentChanged.connect(self._change.hold)
        self.view(RaceView).ready_changed.connect(self._enable)
        for view in self.dashboard.all_views.values():
            view.exports_changed.connect(self._enable)
        self.theme_choice.changed.connect(self._change_theme)
        self.presentation.changed.connect(self._present)
        self.presentation.told.connect(lambda hint: self.tell(hint, "info"))

    def _show_problem(self) -> None:
        shortcuts = {key: view.shortcut for key, view in self.dashboard.views.items()}
        self.actions_.show_problem(problem_of(self._instance), shortcuts)

    def _show_recent(self) -> None:
        self.actions_.show_recent(self.dialogs.recent(), self.open_requested.emit)

    def _bind_actions(self) -> None:
        """Say what each action does."""
        act, dashboard = self.actions_, self.dashboard
        view_keys = [key for view in dashboard.all_views.values() for key in view.keys]
        choose_theme = self.theme_choice.choose
        act.connect(
            {
                "open": self.dialogs.ask_to_open,
                "gallery": self.pages.show_gallery,
                "quit": self._quit,
                "start": lambda: self.wishes.start.emit(),
                "pause": self._toggle_pause,
                "step": lambda: self.wishes.step.emit(),
                "stop": lambda: self.wishes.stop.emit(),
                "improve": self.improve_requested.emit,
                "improve-given": self.improve_given_requested.emit,
                "toggle": self._toggle_run,
                "seed": self.setup.draw_seed,
                "bundled": self.setup.instance.bundled_button.click,
                "panel": self._show_panel,
                "alone": dashboard.toggle_alone,
                "theme": lambda: choose_theme("light" if self.theme.dark else "dark"),
                "fit": dashboard.fit,
                "explain": dashboard.explain,
                "keys": lambda: KeysDialog(self, [*act.keys(), *view_keys]).open(),
                "about": lambda: about_box(self),
            }
        )
        call_with_key(act.exports, self.dialogs.ask_for_export)
        call_with_key(act.views, dashboard.show_view)
        call_with_key(act.themes, choose_theme)

    def _enable(self) -> None:
        """Enable what can be done now, and say why no run can start if none can."""
        if not self._enables:
            return
        exports = dict.fromkeys(self.actions_.exports, bool(self._state_of)) | {"window": True}
        exports["geojson"] &= is_on_globe(self._instance)
        for view in self.dashboard.all_views.values():
            exports |= view.exports
        given, has = self.view(TourView).has_given, self._instance is not None
        tour = self._state_of == "run" and problem_of(self._instance) is Problem.TSP
        race = self.for_race
        problem = self.blocked or (self.view(RaceView) if race else self.setup).problem
        self.actions_.enable(
            self.activity, problem, instance=has, tour=tour, given=given, exports=exports, race=race
        )
        self._kept.show(locked=self.activity.has_run)
        if not self.activity.has_run:
            measures = self.activity is Activity.MEASURING
            ready = "Ready to race" if race else Activity.IDLE.value
            self.run_bar.state.setText(self.activity.value if measures else problem or ready)

    def _toggle_pause(self) -> None:
        (self.wishes.resume if self.activity.rests else self.wishes.pause).emit()

    def _toggle_run(self) -> None:
        for name in ("start", "pause"):
            if self.actions_[name].isEnabled():
                self.actions_[name].trigger()
                return

    def _show_panel(self) -> None:
        self.setup.setVisible(self.actions_["panel"].isChecked() and not self.presentation.goes_on)

    def _quit(self) -> None:
        """Close the window; ask first if something would be lost."""
        if asked := self._question:
            self.ask(*asked, self.close)
        else:
            self.close()

    def _present(self) -> None:
        """Show the parts of a presentation, or all again, in its colours and type."""
        self._scrolled.squeeze(on=self.presentation.goes_on)
        self._show_panel()
        self._change_theme()

    def _change_theme(self) -> None:
        """Use another theme."""
        self.steps.finish()  # a picture has a theme of its own, and then that of before
        self._change.begin(self._theme_steps())

    def paint_now(self) -> None:
        """Make all that is left of a change of the theme, and paint what was held back."""
        self._change.finish()
