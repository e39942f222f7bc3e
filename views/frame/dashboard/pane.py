"""A card with views as tabs."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from views.frame.dashboard.explanations import EXPLANATIONS
from views.widgets.buttons import make_button
from views.widgets.explanation import ExplanationCard
from views.widgets.icons import icon
from views.widgets.layouts import fill
from views.widgets.theme import Theme
from views.widgets.view import View


class _Tabs(QTabWidget):
    """Views as tabs, whose height does not depend on their width.

    Else each change of size would ask every view for its height, the hidden ones too, for nothing:
    a pane is as high as the splitter around it says.
    """

    def hasHeightForWidth(self) -> bool:
        """Return False."""
        return False


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
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.tabBar().setExpanding(False)
        self.tabs.tabBar().setAccessibleName("Views")
        self.tabs.currentChanged.connect(self.turned)
        self.picture_button = make_button("corner", tip="Export a picture of this view (Ctrl+E)")
        self.zoom_button = make_button("corner")
        self.help_button = make_button("corner", tip="What this view shows (Shift+F1)")
        self.help_button.clicked.connect(self.explain)
        self.picture_button.clicked.connect(self._request_picture)
        self.zoom_button.clicked.connect(self.zoom_requested)
        corner = QWidget()
        buttons = self.help_button, self.picture_button, self.zoom_button
        for button in buttons:
            button.setIconSize(QSize(16, 16))
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        fill(QHBoxLayout(corner), *buttons, margins=(0, 0, 2, 0), spacing=0)
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

    @property
    def place(self) -> int:
        """Which of the views is in front, counted from 0."""
        return [view is self.tabs.currentWidget() for view in self.views].index(True)

    def choose(self, place: int) -> None:
        """Bring this one of the views to the front, if there are as many."""
        if 0 <= place < len(self.views):
            self.tabs.setCurrentWidget(self.views[place])

    def minimumSizeHint(self) -> QSize:
        """Return room for the views, and for all tabs."""
        tabs = self.tabs.tabBar().sizeHint().width() + self._corner.sizeHint().width() + 4
        return super().minimumSizeHint().expandedTo(QSize(tabs, 0))

    def apply_theme(self, theme: Theme) -> None:
        """Change colours."""
        self._theme = theme
        self.picture_button.setIcon(icon("picture", theme, "muted"))
        self.help_button.setIcon(icon("help", theme, "muted"))
        self.show_zoomed(zoomed=self._zoomed)

    def explain(self) -> None:
        """Say what the view in front shows."""
        view = self.tabs.currentWidget()
        if isinstance(view, View):
            card = ExplanationCard(self, view.title, EXPLANATIONS[view.key])
            card.open_below(self.help_button, self._theme.scale)

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
