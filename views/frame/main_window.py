"""The main window: it shows what it is given, and emits a signal for all that the user wants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from PySide6.QtCore import QEvent, Qt, QTimer, Signal, Slot
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
from gpu.core.snapshot import RunState, Wanted
from views.frame.actions import Actions, call_with_key
from views.frame.activity import Activity, Question, question
from views.frame.banner import Banner, Offer, Severity
from views.frame.dialogs import KeysDialog, about_box, ask
from views.frame.file_dialogs import FileDialogs
from views.frame.kept_state import (
    KeptChoices,
    ThemeChoice,
    restore_views,
    restore_window,
    save_window,
)
from views.frame.pages import Contents, Pages, Scrolled
from views.frame.readout import Readout
from views.frame.run_bar import RunBar
from views.frame.settings import Settings
from views.frame.text_size import TextSizeMenu
from views.gallery.gallery import Gallery
from views.problem_display import DISPLAYS
from views.setup.setup_panel import SetupPanel
from views.widgets import styling
from views.widgets.controls import AccessibleNames
from views.widgets.guide_asked import GuideAsked
from views.widgets.labels import ElidedLabel, window_title
from views.widgets.layouts import fill
from views.widgets.steps import Curtain, StepQueue, WindowChange
from views.widgets.theme import DARK, Theme, application_icon

if TYPE_CHECKING:  # what the gallery does not need is imported by :meth:`MainWindow.add_views`
    from views.frame.control import RunControl
    from views.frame.dashboard import Dashboard
    from views.frame.guidance import Guidance
    from views.frame.presentation import Presentation
    from views.tour.tour_view import TourView
    from views.widgets.view import View

V = TypeVar("V", bound="View")


class MainWindow(QMainWindow):
    """Setup panel, run bar, readout and views; or the gallery in their place."""

    open_requested = Signal(object)  # path of an instance to load
    open_as_requested = Signal(object)  # the same, and the user says how it is read
    improve_requested = Signal()
    improve_given_requested = Signal()
    folder_wanted = Signal(object)  # path of a file that is to be shown in its folder
    closing = Signal()

    # These are made by add_views:
    dashboard: Dashboard
    control: RunControl
    presentation: Presentation
    guidance: Guidance
    steps: StepQueue  # of pictures: each has a theme of its own, and then that of before

    def __init__(self, settings: Settings, *, gallery_alone: bool = False) -> None:
        """With ``gallery_alone`` the window is there sooner; :meth:`add_views` must follow."""
        QApplication.setFont(DARK.font())  # before there are widgets that get it
        super().__init__()
        self._settings = settings
        self.dialogs = FileDialogs(self, settings)
        self.dialogs.to_open.connect(self.open_requested)
        self.dialogs.to_open_as.connect(self.open_as_requested)
        self.starts_again = False  # whether another one is to be opened once it is closed
        self.has_unsaved: Callable[[], bool] = lambda: False  # whether a drawing would be lost
        self.theme_choice = ThemeChoice(settings, self)
        self.setWindowTitle("Formicarium")
        self.setWindowIcon(application_icon())
        self.setAcceptDrops(True)
        self.setAnimated(False)  # else its contents would be laid out for each of many sizes
        # With its frame it fits a screen of 1280 × 800 pixels, all twice as large.
        self.setMinimumSize(600, 360)
        self.gallery = Gallery()
        self.actions_ = Actions(self)
        self.setup = SetupPanel()
        self._kept = KeptChoices(self.setup, self.actions_, settings)
        self.record = self._kept.record
        self.run_bar = RunBar(self.actions_)
        self.banner = Banner(self, self.statusBar())
        self.where = ElidedLabel()  # which run is in sight
        self.run_title = ""  # the same, whether it is an earlier one or not
        self.statusBar().addWidget(self.where, 1)
        self.statusBar().setSizeGripEnabled(False)
        self._text_size = TextSizeMenu(
            settings, self.actions_.text_menu, self._tell_size, self._start_again
        )
        self._lay_out()
        # Earlier, each change of a parent would style it again.
        theme = self.theme_choice.theme
        styling.apply(theme, self)
        for part in (self.setup, self.run_bar, self.banner, self.gallery):
            part.apply_theme(theme)
        self.has_views = False  # whether add_views has made them
        self._closes = False  # whether it closes as soon as it has views
        self.actions_.enable(
            Activity.IDLE,
            self.setup.problem,
            instance=False,
            tour=False,
            given=False,
            exports=dict.fromkeys(self.actions_.exports, False),
        )
        self.run_bar.show_activity(Activity.IDLE)
        self.run_bar.say(self.setup.problem)
        restore_window(settings, self, self.actions_)
        self._show_panel()
        self.pages.show_gallery()
        if not gallery_alone:
            self.add_views()

    def add_views(self) -> None:
        """Make all that the gallery does not need, and let the window obey the user.

        Without it, nothing but the gallery may be used, and nothing that the user does may arrive.
        """
        from views.frame.control import RunControl
        from views.frame.dashboard import Dashboard
        from views.frame.guidance import Guidance
        from views.frame.presentation import Presentation

        styling.lift()
        self.dashboard = Dashboard()
        titles = {view.key: view.title for view in self.dashboard.all_views.values()}
        self.actions_.offer_views(titles)
        self._show_problem()
        self.control = RunControl(
            self.actions_, self.dashboard, self.setup, self.run_bar, self._kept
        )
        control = self.control  # what the user wants of a run, a race and a study:
        self.run, self.race, self.study = control.run, control.race, control.study
        self.readout = Readout()
        self.presentation = Presentation(
            self, self.dashboard, self.actions_, self._settings, self.run_bar, self.readout
        )
        parts = self.readout, (self.dashboard, 1), self.presentation.caption
        fill(QVBoxLayout(self._views), *parts, margins=(4, 8, 8, 4), spacing=8)
        for widget in self.findChildren(QWidget):
            widget.setAcceptDrops(False)  # else it would take files dropped on it
        self._names = AccessibleNames(self)
        self.guidance = Guidance(
            self, self._settings, self.banner, self.actions_["panel"], self.pages,
            self.setup, self.run_bar, self.readout, self.dashboard,
        )  # fmt: skip
        self.closing.connect(self.guidance.close)
        self._curtain = curtain = Curtain(self)
        self._change = WindowChange(self, curtain, lambda: self.steps.under_way)
        self.steps = StepQueue(
            self, curtain, lambda: not (self._change.busy or self.dashboard.following.lacks_theme)
        )
        self.closing.connect(self.steps.finish)
        self.has_views = True
        self._connect()
        self._bind_actions()
        restore_views(self._settings, self.dashboard)
        styling.apply(self.theme_choice.theme, self)
        self._change_theme()
        self.paint_now()
        self._show_recent()
        self.show_activity(Activity.IDLE)
        if self._closes:
            QTimer.singleShot(0, self, self.close)

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
    def activity(self) -> Activity:
        """What the program is doing."""
        return self.control.activity

    @property
    def problem(self) -> str:
        """Why a run cannot start now, or nothing."""
        return self.control.problem

    @property
    def theme(self) -> Theme:
        """The colours and the type in use."""
        theme = self.theme_choice.theme
        return theme.presented if self._presents else theme

    @property
    def _presents(self) -> bool:
        return self.has_views and self.presentation.goes_on

    def arrange(self, instance: Instance) -> None:
        """Bring the views for ``instance`` into the panes, as a first step of showing it."""
        self._change.hold()
        self.dashboard.arrange(instance.problem)

    def show_instance(self, instance: Instance | None) -> None:
        """Show another instance, in empty views."""
        self._change.hold()
        self.control.hold(on=True)  # every part asks for it
        self.control.show_state_of("")
        self.control.show_instance(instance)
        (self.pages.show_views_soon if instance else self.pages.show_gallery)()
        self.setup.show_instance(instance)
        self.readout.show_instance(instance)
        self.dashboard.show_instance(instance)
        self.setWindowTitle(window_title(instance.name) if instance else "Formicarium")
        self.dialogs.give_up()
        if instance is not None and instance.path is not None:
            self.dialogs.remember(instance.path)
            self._show_recent()
        self.control.hold(on=False)

    def show_edited(self, instance: Instance) -> None:
        """Show what the instance became when the user edited it; curves and choices stay."""
        self.readout.show_instance(instance)
        self.setup.show_edited(instance)
        self.dashboard.moments.show_edited(instance)
        self.setWindowTitle(window_title(instance.name))
        self.control.show_instance(instance)

    def begin_run(self) -> None:
        """Empty the views for a new run."""
        self._kept.save()
        self.dialogs.give_up()
        self.pages.show_views()
        self.readout.begin_run()
        self.dashboard.moments.begin_run()
        self.control.show_state_of("")

    def show_snapshot(self, snapshot: RunState, of: Literal["run", "log"] = "run") -> None:
        """Show the state of the run, or the one that a log has recorded."""
        self.readout.show_snapshot(snapshot)
        self.dashboard.moments.show_snapshot(snapshot)
        if snapshot.best_solution is not None or snapshot.iteration > 0:
            self.control.show_state_of(of)

    def show_activity(self, activity: Activity, *, racing: bool = False) -> None:
        """Show what the program is doing, and enable the buttons that can be pressed.

        If it is ``racing``, they are for the race.
        """
        self.control.show_activity(activity, racing=racing)
        self._mark_earlier()

    def name_run(self, title: str) -> None:
        """Say which run, or which race, is in sight; nothing if there is none."""
        self.run_title = title
        self._mark_earlier()

    def _mark_earlier(self) -> None:
        """Say that what is in sight is an earlier run while a measurement or a study goes on."""
        earlier = self.activity is Activity.MEASURING or self.control.studies
        self.readout.setEnabled(not earlier)
        before = "Earlier: " if earlier and self.run_title else ""
        self.where.setText(f"{before}{self.run_title}")

    def block(self, who: str, why: str) -> None:
        """Let no run start, for the reason ``why`` of ``who``; an empty one takes that back."""
        self.control.block(who, why)
        self._mark_earlier()

    def tell(
        self,
        sentence: str,
        severity: Severity = "error",
        *,
        stays: bool = False,
        offers: Sequence[Offer] = (),
    ) -> None:
        """Show one sentence in the banner; it may stay there until there is another one.

        ``offers`` are what can be done about it.
        """
        self.banner.tell(sentence, severity, stays=stays, offers=offers)

    def tell_written(self, path: Path) -> None:
        """Say that a file is written, and offer to show where."""
        offer = Offer("Show in folder", str(path), lambda: self.folder_wanted.emit(path))
        self.tell(f"{path.name} is written", "done", stays=True, offers=[offer])

    def _theme_steps(self) -> Iterator[object]:
        """Change the colours and the type of all parts, one step after the other.

        In a presentation, other parts are shown.
        """
        theme = self.theme
        yield from self.presentation.picked_steps()
        self.where.setHidden(self.presentation.goes_on)  # nobody in the hall needs the log's name
        self._scrolled.squeeze(on=self.presentation.goes_on)
        yield None
        self._show_panel()
        yield None
        self.actions_.themes[self.theme_choice.name].setChecked(True)
        steps = styling.apply(theme, self, later=self.dashboard.hidden)
        yield None
        for step in steps:
            yield step()
        for part in (self.setup, self.run_bar, self.banner, self.gallery, self.dashboard):
            yield part.apply_theme(theme)
        self.guidance.apply_theme(theme)

    def event(self, event: QEvent) -> bool:
        """Leave Space to a button that has the focus; tell when the window is minimized.

        Show the passage of the guides that a part of the window asks for.
        """
        if isinstance(event, GuideAsked):
            self.guidance.read(event.target)
            return True
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Space
            and isinstance(self.focusWidget(), QAbstractButton)
        ):
            event.accept()
            return True
        if event.type() == QEvent.Type.WindowStateChange and self.has_views:
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
        if not self.has_views:  # they are being made
            self._closes = True
            event.ignore()
            return
        if event.spontaneous() and self._question:
            event.ignore()
            self._quit()
            return
        save_window(self._settings, self, self.dashboard, self.actions_)
        self._kept.save()
        self.hide()
        self.closing.emit()
        super().closeEvent(event)

    @property
    def _question(self) -> Question | None:
        going = {"racing": self.control.racing, "study": self.control.studies}
        return question(self.activity, **going, unsaved=self.has_unsaved())

    def _lay_out(self) -> None:
        self._views = QWidget()  # in which add_views puts them
        self.pages = Pages(self.gallery, self._views)
        across = fill(QHBoxLayout(), self.setup, (self.pages, 1), spacing=0)
        central = Contents()
        central.setObjectName("central")
        fill(QVBoxLayout(central), self.run_bar, (across, 1), spacing=0)
        self._scrolled = Scrolled(central)
        self.setCentralWidget(self._scrolled)

    def _connect(self) -> None:
        self.setup.aim.changed.connect(lambda: self.run_bar.pace.choose(self.setup.aim.pace))
        self.setup.instance.open_requested.connect(self.dialogs.ask_to_open)
        self.setup.instance.path_chosen.connect(self.open_requested)
        self.dashboard.arranged.connect(self._show_problem)
        self.dashboard.asked.connect(self.pages.show_views)
        self.dashboard.following.styling.connect(self._hold_back)
        from views.graph.classes_view import ClassesView
        from views.tour.stops_view import StopsView
        from views.tour.tour_view import TourView

        stops, map_ = self.view(StopsView), self.view(TourView)
        routes = DISPLAYS[Problem.TSP].routes
        stops.offer([self.actions_.exports[name] for name in routes], self.actions_["print"])
        stops.city_chosen.connect(partial(self._show_city, map_))
        map_.city_chosen.connect(stops.choose)
        classes = self.view(ClassesView)
        tables = DISPLAYS[Problem.COLORING].routes
        classes.offer([self.actions_.exports[name] for name in tables], self.actions_["print"])
        classes.colours_changed.connect(self._show_colours)
        self.gallery.back_requested.connect(self.pages.show_views)
        self.pages.left_gallery.connect(self.dashboard.take_focus)
        self.pages.currentChanged.connect(self._change.hold)
        self.theme_choice.changed.connect(self._change_theme)
        self.presentation.changed.connect(self._change_theme)
        self.presentation.told.connect(lambda hint: self.tell(hint, "info"))
        self.presentation.ended.connect(self._forget_hint)

    @Slot()
    def _show_colours(self) -> None:
        """Draw all views anew, in the colours that the user has chosen for classes."""
        for view in self.dashboard.views.values():
            view.apply_theme(view.theme)

    def _show_city(self, map_: TourView, city: int) -> None:
        """Show a city on the map, if its pane is in sight."""
        if self.dashboard.panes[0].isVisible():
            self.dashboard.panes[0].tabs.setCurrentWidget(map_)
            map_.show_city(city)

    def _show_problem(self) -> None:
        shortcuts = {key: view.shortcut for key, view in self.dashboard.views.items()}
        self.actions_.show_problem(self.dashboard.problem, shortcuts)

    def _show_recent(self) -> None:
        self.actions_.show_recent(self.dialogs.recent(), self.open_requested.emit)

    def _bind_actions(self) -> None:
        """Say what each action does."""
        act, dashboard = self.actions_, self.dashboard
        every = (key for view in dashboard.all_views.values() for key in view.keys)
        view_keys = list(dict.fromkeys(every))  # a tour's Decision and a graph's have the same
        choose_theme = self.theme_choice.choose
        act.connect(
            {
                "open": self.dialogs.ask_to_open,
                "open-as": self.dialogs.ask_to_open_as,
                "gallery": self.pages.show_gallery,
                "quit": self._quit,
                "improve": self.improve_requested.emit,
                "improve-given": self.improve_given_requested.emit,
                "seed": self.setup.draw_seed,
                "bundled": self.setup.instance.bundled_button.click,
                "panel": self._show_panel,
                "alone": dashboard.toggle_alone,
                "theme": lambda: choose_theme("light" if self.theme.dark else "dark"),
                "fit": dashboard.fit,
                "explain": dashboard.explain,
                "values": dashboard.show_values,
                "larger": lambda: self._text_size.step(1),
                "smaller": lambda: self._text_size.step(-1),
                "guide": lambda: self.guidance.read(),
                "tour": self.guidance.begin_tour,
                "keys": lambda: self._show_keys([*act.keys(), *view_keys]),
                "about": lambda: about_box(self),
            }
        )
        act["still"].setChecked(self.theme_choice.still)
        act["still"].toggled.connect(self.theme_choice.reduce_motion)
        call_with_key(act.exports, self.dialogs.ask_for_export)
        call_with_key(act.views, lambda key: dashboard.show_view(key, largest=True))
        call_with_key(act.themes, choose_theme)

    def _show_keys(self, keys: Sequence[tuple[str, str]]) -> None:
        KeysDialog(self, keys, self.theme).open()

    def _show_panel(self) -> None:
        self.setup.setVisible(self.actions_["panel"].isChecked() and not self._presents)

    def _tell_size(self, sentence: str, offers: list[Offer]) -> None:
        self.tell(sentence, "info", stays=True, offers=offers)

    def _start_again(self) -> None:
        """Close the window, and have it opened anew; ask first if something would be lost."""

        def close() -> None:
            self.starts_again = True
            self.close()

        if asked := self._question:
            self.ask(*asked, close)
        else:
            close()

    def _quit(self) -> None:
        """Close the window; ask first if something would be lost."""
        if asked := self._question:
            self.ask(*asked, self.close)
        else:
            self.close()

    @Slot()
    def _forget_hint(self) -> None:
        """Say no longer what the keys of a presentation do."""
        if self.banner.text == self.presentation.hint:
            self.banner.clear()

    def _change_theme(self) -> None:
        """Use another theme, in a presentation or not."""
        self._change.begin(self._theme_steps())

    def paint_now(self) -> None:
        """Make all that is left of a change of the theme, and paint what was held back."""
        self.steps.finish()
        self._change.finish()
        self.dashboard.following.finish()

    @Slot(bool)
    def _hold_back(self, held: bool) -> None:
        """Paint no view in the colours of the former theme."""
        (self._curtain.close if held else self._curtain.open)(self.dashboard)
