"""The views, three in sight at once or one alone, drawn in turn so that none holds up the rest."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QMenu,
    QSplitter,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gpu.instances.instance import TspInstance
from gpu.snapshot import Snapshot, Wanted
from views.icons import icon
from views.pace import Pace
from views.theme import Theme
from views.view import View

_TURN = 16
"""Milliseconds between drawing one view and the next."""


class Pane(QFrame):
    """A card with one or more views as tabs.

    Attributes
    ----------
    turned : Signal
        Another view came into sight.
    picture_requested : Signal
        Key of a view and "png" or "svg".
    zoom_requested : Signal
        The user wants this pane alone, or all again.
    """

    turned = Signal()
    picture_requested = Signal(str, str)
    zoom_requested = Signal()

    def __init__(self, views: Sequence[View], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.views = tuple(views)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.tabBar().setExpanding(False)
        self.tabs.setUsesScrollButtons(True)
        for view in views:
            self.tabs.addTab(view, view.title)
        self.tabs.currentChanged.connect(self.turned)
        self.picture_button, self.zoom_button = QToolButton(), QToolButton()
        self.picture_button.setToolTip("Export a picture of this view")
        self.picture_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        for form in ("png", "svg"):
            action = QAction(f"{form.upper()}…", menu)
            action.triggered.connect(lambda _=False, form=form: self._request_picture(form))
            menu.addAction(action)
        self.picture_button.setMenu(menu)
        self.zoom_button.clicked.connect(self.zoom_requested)
        corner = QWidget()
        row = QHBoxLayout(corner)
        row.setContentsMargins(0, 0, 4, 0)
        row.setSpacing(0)
        for button in (self.picture_button, self.zoom_button):
            button.setProperty("role", "plain")
            button.setIconSize(QSize(16, 16))
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            row.addWidget(button)
        self.tabs.setCornerWidget(corner, Qt.Corner.TopRightCorner)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.addWidget(self.tabs)
        self._zoomed = False

    def apply_theme(self, theme: Theme) -> None:
        """Change colours."""
        self._theme = theme
        self.picture_button.setIcon(icon("picture", theme, "muted"))
        self.show_zoomed(zoomed=self._zoomed)

    def show_zoomed(self, *, zoomed: bool) -> None:
        """Say whether this pane is alone."""
        self._zoomed = zoomed
        self.zoom_button.setIcon(icon("restore" if zoomed else "maximize", self._theme, "muted"))
        self.zoom_button.setToolTip("Show all panes (M)" if zoomed else "Show this pane alone (M)")

    def _request_picture(self, form: str) -> None:
        view = self.tabs.currentWidget()
        if isinstance(view, View):
            self.picture_requested.emit(view.key, form)


class Dashboard(QWidget):
    """Large pane at the left, two smaller ones at the right.

    Attributes
    ----------
    pace : Pace
        How often views are drawn while snapshots come in.
    wanted_changed : Signal
        The views in sight need other parts of a snapshot.
    picture_requested : Signal
        Key of a view and "png" or "svg".
    """

    wanted_changed = Signal()
    picture_requested = Signal(str, str)

    def __init__(
        self,
        main: Sequence[View],
        upper: Sequence[View],
        lower: Sequence[View],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.panes = tuple(Pane(views) for views in (main, upper, lower))
        self.views: dict[str, View] = {view.key: view for pane in self.panes for view in pane.views}
        self.across = QSplitter(Qt.Orientation.Horizontal)
        self.down = QSplitter(Qt.Orientation.Vertical)
        self.across.addWidget(self.panes[0])
        self.across.addWidget(self.down)
        self.down.addWidget(self.panes[1])
        self.down.addWidget(self.panes[2])
        for splitter in (self.across, self.down):
            splitter.setHandleWidth(8)
            splitter.setChildrenCollapsible(False)
        self.across.setSizes([560, 440])
        self.down.setSizes([500, 500])
        self.across.setStretchFactor(0, 56)
        self.across.setStretchFactor(1, 44)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.across)
        self._alone: Pane | None = None
        self._current = self.panes[0]
        self._due: list[View] = []
        self._waiting: set[View] = set()  # these have news, but were drawn a moment ago
        self._drawn: dict[View, float] = {}
        self.pace = Pace()
        self._timer = QTimer(self)
        self._timer.setInterval(_TURN)
        self._timer.timeout.connect(self._take_turn)
        for pane in self.panes:
            pane.turned.connect(self.wanted_changed)
            pane.picture_requested.connect(self.picture_requested)
            pane.zoom_requested.connect(lambda pane=pane: self.toggle_alone(pane))
        for view in self.views.values():
            view.wanted_changed.connect(self.wanted_changed)

    @property
    def wanted(self) -> Wanted:
        """What the views in sight need."""
        wanted = Wanted.NUMBERS
        for view in self.views.values():
            if view.isVisible():
                wanted |= view.wanted
        return wanted

    def show_instance(self, instance: TspInstance | None) -> None:
        """Prepare all views for runs on ``instance``."""
        self._due.clear()
        self._waiting.clear()
        for view in self.views.values():
            view.show_instance(instance)

    def begin_run(self) -> None:
        """Empty all views."""
        self._due.clear()
        self._waiting.clear()
        for view in self.views.values():
            view.begin_run()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Give ``snapshot`` to all views; those in sight draw it one after the other."""
        now = time.monotonic()
        for view in self.views.values():
            view.take_in(snapshot)
            rested = not self.pace.limited or now >= self._drawn.get(view, 0.0) + view.leisure
            if view in self._due:
                continue
            if rested:
                self._waiting.discard(view)
                self._due.append(view)
            else:
                self._waiting.add(view)
        if not self._timer.isActive():
            self._take_turn()
            self._timer.start()

    def keep_to(self, share: float) -> None:
        """Draw for at most this share of a core; infinity draws all that had to wait."""
        self.pace.share = share
        if not self.pace.limited:
            self._due += [view for view in self.views.values() if view in self._waiting]
            self._waiting.clear()
            if self._due:
                self._timer.start(_TURN)

    def settle(self) -> None:
        """Draw at once what is still due."""
        self._due += [view for view in self.views.values() if view in self._waiting]
        self._waiting.clear()
        while self._due:
            self._draw_next()

    def show_view(self, key: str) -> None:
        """Bring the view ``key`` into sight."""
        for pane in self.panes:
            if self.views[key] in pane.views:
                pane.tabs.setCurrentWidget(self.views[key])
                self._current = pane
                if self._alone not in (None, pane):
                    self.show_alone(pane)
                self.views[key].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def toggle_alone(self, pane: Pane | None = None) -> None:
        """Show ``pane`` (by default the one last brought into sight) alone, or all again."""
        pane = pane or self._current
        self.show_alone(None if self._alone is not None else pane)

    def show_alone(self, pane: Pane | None) -> None:
        """Show ``pane`` alone, or all of them."""
        self._alone = pane
        for one in self.panes:
            one.setVisible(pane in (None, one))
            one.show_zoomed(zoomed=one is pane)
        self.down.setVisible(pane is not self.panes[0])
        self.wanted_changed.emit()

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        for pane in self.panes:
            pane.apply_theme(theme)
        for view in self.views.values():
            view.apply_theme(theme)

    def _take_turn(self) -> None:
        """Draw one view if it is time, and say when to come again."""
        wait = self.pace.wait()
        if wait <= 0:
            self._draw_next()
        self._timer.setInterval(max(_TURN, math.ceil(1000 * wait)))

    def _draw_next(self) -> None:
        """Draw one view; those out of sight only remember that they are behind."""
        while self._due:
            view = self._due.pop(0)
            self._drawn[view] = time.monotonic()
            if view.catch_up():
                if view.behind:
                    self._due.append(view)
                return
        self._timer.stop()
