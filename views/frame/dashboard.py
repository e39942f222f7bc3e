"""The views of one problem as tabs of three panes, all of them visible or one alone."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import or_

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QCursor, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSplitter, QTabWidget, QVBoxLayout, QWidget

from gpu.core.instance import Instance
from gpu.core.problem import Problem
from gpu.core.snapshot import Wanted
from views.frame.draw_queue import DrawQueue, Following
from views.frame.moments import ShownMoment
from views.frame.replay_bar import ReplayBar
from views.frame.values_dialog import ValuesDialog
from views.frame.view_table import EXPLANATIONS, VIEWS
from views.problem_display import problem_of
from views.widgets.controls import make_button
from views.widgets.guide_asked import set_target
from views.widgets.labels import ExplanationCard
from views.widgets.layouts import fill
from views.widgets.theme import Theme, icon
from views.widgets.view import Pointed, View


class _Tabs(QTabWidget):
    """Views as tabs, whose height does not depend on their width.

    Else each change of size would ask every view for its height, the hidden ones too, for nothing:
    a pane is as high as the splitter around it says.
    """

    def hasHeightForWidth(self) -> bool:
        """Return False."""
        return False


_TABS_EDGE = 6  # pixels of a pane's width that are neither of tabs nor of buttons beside them


class Pane(QFrame):
    """A card with one or more views as tabs."""

    turned = Signal()  # another tab came to the front
    picture_requested = Signal(str)  # key of a view
    zoom_requested = Signal()  # the user wants this pane alone, or all again

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.views: tuple[View, ...] = ()
        self.tabs = _Tabs(documentMode=True, usesScrollButtons=True)
        self.tabs.setAccessibleName("Views")
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.tabBar().setExpanding(False)
        self.tabs.tabBar().setAccessibleName("Views")
        self.tabs.currentChanged.connect(self.turned)
        self.turned.connect(self._offer_buttons)
        self.picture_button = make_button("corner", tip="Export a picture of this view (Ctrl+E)")
        self.values_button = make_button("corner", tip="Values of this view as a table (T)")
        self.values_button.clicked.connect(self.show_values)
        self.zoom_button = make_button("corner")
        self.help_button = make_button("corner", tip="What this view shows (Shift+F1)")
        self.help_button.clicked.connect(self.explain)
        self.picture_button.clicked.connect(self._request_picture)
        self.zoom_button.clicked.connect(self.zoom_requested)
        corner = QWidget()
        self._buttons = (
            *(self.help_button, self.values_button),
            *(self.picture_button, self.zoom_button),
        )
        for button in self._buttons:
            button.setIconSize(QSize(16, 16))
        fill(QHBoxLayout(corner), *self._buttons, margins=(0, 0, 2, 0), spacing=0)
        self.tabs.setCornerWidget(corner, Qt.Corner.TopRightCorner)
        fill(QVBoxLayout(self), self.tabs, margins=(1, 1, 1, 1))
        self._corner = corner
        self._zoomed = False

    def show_views(self, views: Sequence[View]) -> None:
        """Show these views; the one in front stays there if it is among them."""
        self.tabs.blockSignals(True)
        place = 0
        for view in views:
            if self.tabs.indexOf(view) < 0:
                self.tabs.insertTab(place, view, view.title)
            place = self.tabs.indexOf(view) + 1
        if views:
            if self.tabs.currentWidget() not in views:
                self.tabs.setCurrentWidget(views[0])
            for place in range(self.tabs.count()):  # quicker than to remove what is not shown
                self.tabs.setTabVisible(place, self.tabs.widget(place) in views)
        self.tabs.blockSignals(False)
        self.views = tuple(views)
        self._offer_buttons()

    @property
    def place(self) -> int:
        """Which of the views is in front, counted from 0."""
        return [view is self.tabs.currentWidget() for view in self.views].index(True)

    def choose(self, place: int) -> None:
        """Bring this one of the views to the front, if there are as many."""
        if 0 <= place < len(self.views):
            self.tabs.setCurrentWidget(self.views[place])

    def minimumSizeHint(self) -> QSize:
        """Return room for the views, for all tabs, and for the buttons but that for values."""
        width = self._needed(one for one in self._buttons if one is not self.values_button)
        return super().minimumSizeHint().expandedTo(QSize(width, 0))

    def apply_theme(self, theme: Theme) -> None:
        """Change colours."""
        self._theme = theme
        self.picture_button.setIcon(icon("picture", theme, "muted"))
        self.help_button.setIcon(icon("help", theme, "muted"))
        self.values_button.setIcon(icon("table", theme, "muted"))
        self.show_zoomed(zoomed=self._zoomed)

    def explain(self) -> None:
        """Say what the view in front shows."""
        view = self.tabs.currentWidget()
        if isinstance(view, View):
            card = ExplanationCard(self, view.title, EXPLANATIONS[view.key])
            card.open_below(self.help_button, self._theme.scale)

    def show_values(self) -> None:
        """Show the values of the view in front as tables, if it has some."""
        view = self.tabs.currentWidget()
        if isinstance(view, View) and view.has_values:
            ValuesDialog(self.window(), view, self._theme).show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Have those buttons for which there is room beside the tabs."""
        super().resizeEvent(event)
        self._offer_buttons()

    def _offer_buttons(self) -> None:
        """Show what the view in front has, and no button for which tabs would have to scroll.

        What a narrow pane leaves out, from the first on, has a key and an entry of the menu.
        """
        view = self.tabs.currentWidget()
        shown = list(self._buttons)
        if not (isinstance(view, View) and view.has_values):
            shown.remove(self.values_button)
        for spare in (self.values_button, self.help_button, self.picture_button):
            if spare in shown and self._needed(shown) > self.width():
                shown.remove(spare)
        for button in self._buttons:
            button.setVisible(button in shown)

    def _needed(self, buttons: Iterable[QWidget]) -> int:
        """Return the width of a pane with all tabs and these buttons."""
        beside = sum(one.sizeHint().width() for one in buttons)
        return self.tabs.tabBar().sizeHint().width() + beside + _TABS_EDGE

    def show_corner(self, *, shown: bool) -> None:
        """Show or hide the buttons beside the tabs."""
        self._corner.setVisible(shown)

    def show_zoomed(self, *, zoomed: bool) -> None:
        """Show whether this pane is alone."""
        self._zoomed = zoomed
        self.zoom_button.setIcon(icon("restore" if zoomed else "maximize", self._theme, "muted"))
        self.zoom_button.setToolTip("Show all panes (M)" if zoomed else "Show this pane alone (M)")

    def _request_picture(self) -> None:
        view = self.tabs.currentWidget()
        if isinstance(view, View):
            self.picture_requested.emit(view.key)


class Dashboard(QWidget):
    """Large pane at the left, two smaller ones at the right, with the views of one problem."""

    arranged = Signal()  # the views of another problem are shown
    asked = Signal()  # a view is to be in sight
    turned = Signal()  # another view has come into sight in a pane
    wanted_changed = Signal()  # what the window needs of a snapshot has changed

    def __init__(self) -> None:
        super().__init__()
        self.panes = (Pane(), Pane(), Pane())
        self.all_views: dict[str, View] = {row.view.key: row.view() for row in VIEWS}
        for row in VIEWS:  # before panes are put together: Tab comes by a pane's views after it
            self.all_views[row.view.key].setParent(self.panes[row.pane])
        self.views: dict[str, View] = {}  # those of the problem that is shown
        self._problem: Problem | None = None
        self._tabs: dict[Problem, list[int]] = {}
        self.across, self.down = (
            QSplitter(orientation, handleWidth=8, childrenCollapsible=False)
            for orientation in (Qt.Orientation.Horizontal, Qt.Orientation.Vertical)
        )
        self.replay = ReplayBar()  # moves through the past of the run
        self.replay.hide()
        self.past = QWidget()  # where it is, if it is shown: a presentation does without it
        fill(QVBoxLayout(self.past), self.replay, margins=(0, 4, 0, 0))
        self._large = QWidget()
        fill(QVBoxLayout(self._large), (self.panes[0], 1), self.past, spacing=0)
        self.across.addWidget(self._large)
        self.across.addWidget(self.down)
        self.down.addWidget(self.panes[1])
        self.down.addWidget(self.panes[2])
        self.across.setSizes([560, 440])
        self.down.setSizes([500, 500])
        self.across.setStretchFactor(0, 56)
        self.across.setStretchFactor(1, 44)
        fill(QVBoxLayout(self), self.across)
        self._alone: Pane | None = None
        self.picks: list[str] = []  # keys of the only views to be shown; none for all
        self.whole = True  # whether each pane has all of its views, as the user has chosen tabs
        self._current = self.panes[0]
        self.queue = DrawQueue(self)  # when each view draws while snapshots come in
        self.moments = ShownMoment(
            self, self.all_views.values(), lambda: self.views.values(), self.queue
        )
        self.following = Following(self, self.all_views.values(), lambda: self.in_front)
        for pane in self.panes:
            pane.turned.connect(self.wanted_changed)
            pane.turned.connect(self.turned)
            pane.zoom_requested.connect(lambda pane=pane: self.toggle_alone(pane))
        for view in self.all_views.values():
            view.hide()
            view.wanted_changed.connect(self.wanted_changed)
            view.pointed.connect(self._point_out)
        for key in EXPLANATIONS.keys() & self.all_views:
            set_target(self.all_views[key], EXPLANATIONS[key].guide)
        for place, pane in enumerate(self.panes):  # all at once: each new tab takes some time
            pane.show_views([self.all_views[row.view.key] for row in VIEWS if row.pane == place])
        self.arrange(problem_of(None))

    @property
    def tabs(self) -> dict[Problem, list[int]]:
        """For each problem that was shown, which tab of each pane is in front."""
        self._remember_tabs()
        return self._tabs

    def _remember_tabs(self) -> None:
        if self._problem is not None and self.whole:
            self._tabs[self._problem] = [pane.place for pane in self.panes]

    @property
    def problem(self) -> Problem:
        """The problem whose views are shown."""
        return self._problem or problem_of(None)

    @property
    def in_front(self) -> list[str]:
        """The keys of the views in front, one a pane."""
        if self.picks:
            return self.picks
        shown = (pane.tabs.currentWidget() for pane in self.panes)
        return [view.key for view in shown if isinstance(view, View)]

    def pick(self, keys: Sequence[str]) -> None:
        """Show these views alone, at most one a pane; all of them again if there are none."""
        deque(self.pick_steps(keys), maxlen=0)

    def pick_steps(self, keys: Sequence[str]) -> Iterator[None]:
        """Do as :meth:`pick`, a pane a step.

        If something else is picked between two steps, or another problem comes, that holds.
        """
        self._remember_tabs()
        self.picks = picks = list(keys)
        self.whole, self._current = False, self.panes[0]
        for place, pane in enumerate(self.panes):
            shown = [self.views[keys[place]]] if place < len(keys) else []
            pane.show_views(shown if keys else self._views_in(place))
            pane.show_corner(shown=not keys)
            yield
            if self.picks is not picks:
                return
        self._show_alone(None)
        self.whole = not keys
        if self.whole:
            self.choose_tabs(self.problem, self._tabs[self.problem])

    def _views_in(self, place: int) -> list[View]:
        rows = (row for row in VIEWS if row.pane == place and self._problem in row.problems)
        return [self.all_views[row.view.key] for row in rows]

    def choose_tabs(self, problem: Problem, tabs: Sequence[int]) -> None:
        """Bring these tabs to the front, now or when ``problem`` is shown."""
        self._tabs[problem] = list(tabs)
        if problem is self._problem:
            for pane, index in zip(self.panes, tabs, strict=True):
                pane.choose(index)

    @property
    def wanted(self) -> Wanted:
        """What the visible views need."""
        wanted = Wanted.NUMBERS
        for view in self.views.values():
            if view.isVisible():
                wanted |= view.wanted
        return wanted

    @property
    def collected(self) -> Wanted:
        """What views need for a curve even while they are hidden, but not often."""
        return reduce(or_, (view.collected for view in self.views.values()))

    @property
    def hidden(self) -> list[View]:
        """The views that nobody sees now."""
        return [view for view in self.all_views.values() if not view.isVisible()]

    @property
    def front(self) -> View:
        """The view that has the focus, else the one in front in the pane that was chosen last."""
        focus = self.window().focusWidget()
        views = [view for pane in self.panes for view in pane.views]  # a presentation has picked
        focused = (view for view in views if focus is not None and view.isAncestorOf(focus))
        front = self._current.tabs.currentWidget()
        assert isinstance(front, View)
        return next((view for view in views if view is focus), next(focused, front))

    def show_instance(self, instance: Instance | None) -> None:
        """Prepare the views of its problem for runs on ``instance``, and empty all others."""
        if instance is not None:
            self.arrange(instance.problem)
        self.moments.show_instance(instance)

    def show_view(self, key: str, *, largest: bool = False) -> None:
        """Show the view ``key``; of views that were picked, perhaps in the place of the largest."""
        self.asked.emit()
        picks = self.picks
        if picks and key not in (picks[:1] if largest else picks):
            self.pick([key, *(picks[0] if one == key else one for one in picks[1:])])
        for pane in self.panes:
            if self.views[key] in pane.views:
                pane.tabs.setCurrentWidget(self.views[key])
                self._current = pane
                if self._alone not in (None, pane):
                    self._show_alone(pane)
                self.views[key].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_map(self) -> None:
        """Bring the view of the solution into sight."""
        self.show_view(self.panes[0].views[0].key)

    def take_focus(self) -> None:
        """Let the keys go to the view in the large pane."""
        self.panes[0].tabs.currentWidget().setFocus()

    def fit(self) -> None:
        """Show the whole map again."""
        for view in self.panes[0].views:
            view.fit()

    def explain(self) -> None:
        """Say what the view in front shows."""
        next(pane for pane in self.panes if self.front in pane.views).explain()

    def show_values(self) -> None:
        """Show the values of the view in front as tables."""
        next(pane for pane in self.panes if self.front in pane.views).show_values()

    def toggle_alone(self, pane: Pane | None = None) -> None:
        """Show ``pane`` alone, or all again.

        By default it is the pane under the mouse, or else the last that the user chose.
        """
        if pane is None:
            shown = (one for one in self.panes if one.isVisible())
            mouse = QCursor.pos()
            under = (one for one in shown if one.rect().contains(one.mapFromGlobal(mouse)))
            pane = next(under, self._current)
        self._show_alone(pane if self._alone is None else None)

    def _show_alone(self, pane: Pane | None) -> None:
        self._alone = pane
        for one in self.panes:
            one.setVisible(pane in (None, one) and bool(one.views))
            one.show_zoomed(zoomed=one is pane)
        self._large.setVisible(pane in (None, self.panes[0]))
        right = any(one.views for one in self.panes[1:])
        self.down.setVisible(pane is not self.panes[0] and right)
        self.wanted_changed.emit()

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        for pane in self.panes:
            pane.apply_theme(theme)
        self.replay.apply_theme(theme)
        for view in self.all_views.values():
            view.use_theme(theme)
        self.following.begin()

    def arrange(self, problem: Problem) -> None:
        """Bring the views of ``problem`` into the panes."""
        if problem is self._problem:
            return
        before = self.tabs.get(problem)
        focused = self.window().focusWidget()
        held = focused is not None and self.isAncestorOf(focused)
        self._problem, self.picks, self.whole = problem, [], True
        for place, pane in enumerate(self.panes):
            pane.show_views(self._views_in(place))
            pane.show_corner(shown=True)
        self.views = {view.key: view for pane in self.panes for view in pane.views}
        self.choose_tabs(problem, before or [0 for _ in self.panes])
        if held:  # else a button gets the focus, and takes Space
            self.panes[0].tabs.currentWidget().setFocus()
        self.arranged.emit()
        self.wanted_changed.emit()

    @Slot(object)
    def _point_out(self, part: Pointed) -> None:
        """Let what is pointed at in one view stand out in the others."""
        for view in self.views.values():
            if view is not self.sender():
                view.point_out(part)
