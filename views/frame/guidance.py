"""What explains the window to who uses it: the guides' window, the tour, and the offer of it."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMainWindow

from views.frame.banner import Banner, Offer
from views.frame.dashboard import Dashboard
from views.frame.pages import Pages
from views.frame.readout import Readout
from views.frame.run_bar import RunBar
from views.frame.settings import Settings
from views.help.guide_window import GuideWindow
from views.help.tour import WindowStep, WindowTour
from views.setup.setup_panel import SetupPanel
from views.widgets.guide_asked import target_of
from views.widgets.styling import parts_of, restyle
from views.widgets.theme import DARK, Theme

_TOURED = "toured"  # whether the tour was offered
_OFFER = "New here? Seven steps show you the window"


class Guidance(QObject):
    """Opens the guides where somebody asks, and leads through the window."""

    def __init__(
        self,
        window: QMainWindow,
        settings: Settings,
        banner: Banner,
        panel: QAction,
        pages: Pages,
        setup: SetupPanel,
        run_bar: RunBar,
        readout: Readout,
        dashboard: Dashboard,
    ) -> None:
        super().__init__(window)
        self._window, self._settings, self._banner, self._panel = window, settings, banner, panel
        self._pages, self._dashboard, self._theme = pages, dashboard, DARK
        self._setup, self._run_bar, self._readout = setup, run_bar, readout
        self.guides: GuideWindow | None = None  # once it was asked for
        self.tour: WindowTour | None = None  # while one goes on

    def read(self, target: str = "") -> None:
        """Show the passage ``target``, by default that about what has the focus."""
        if self.guides is None:
            self.guides = GuideWindow()
            self.apply_theme(self._theme)
        self.guides.read(target or self._about_focus())

    def offer_tour(self) -> None:
        """Offer the tour, but only once in a user's life."""
        if not self._settings.get(_TOURED, False):
            self._settings.put({_TOURED: True})
            offer = Offer("Show me", "The tour is in the menu Help, too", self.begin_tour)
            self._banner.tell(_OFFER, "info", stays=True, offers=[offer])

    def begin_tour(self) -> None:
        """Lead through the window; what was in front, and hidden, is so again at the end."""
        self._settings.put({_TOURED: True})
        self.leave_tour()
        gallery, shown = self._pages.shows_gallery, self._panel.isChecked()

        def left() -> None:
            self.tour = None
            (self._pages.show_gallery if gallery else self._pages.show_views)()
            if self._panel.isChecked() != shown:
                self._panel.trigger()

        self.tour = WindowTour(self._window, self._steps())
        self.tour.left.connect(left)
        self.tour.begin()

    def leave_tour(self) -> None:
        """End the tour, if one goes on."""
        if self.tour is not None:
            self.tour.leave()

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        self._theme = theme
        if self.guides is not None:
            self.guides.setProperty("large", theme.scale > 1)
            restyle(parts_of(self.guides))
            self.guides.apply_theme(theme)

    def close(self) -> None:
        """End the tour, and close the guides."""
        self.leave_tour()
        if self.guides is not None:
            self.guides.close()
            self.guides.deleteLater()
            self.guides = None

    def _about_focus(self) -> str:
        if target := target_of(QApplication.focusWidget()):
            return target
        if self._pages.shows_gallery:
            return target_of(self._pages.gallery.pages.currentWidget())
        return target_of(self._dashboard.front)

    def _steps(self) -> list[WindowStep]:
        gallery, views = self._pages.show_gallery, self._pages.show_views

        def views_and_panel() -> None:
            views()
            if not self._panel.isChecked():
                self._panel.trigger()

        return [
            WindowStep(
                self._pages.gallery,
                "Every picture is an instance: a click opens it, a double click also solves it.",
                gallery,
            ),
            WindowStep(
                self._setup.aim,
                "The aim chooses a colony and its parameters; below it you can choose them "
                "yourself.",
                views_and_panel,
            ),
            WindowStep(
                self._run_bar,
                "Start (Space) lets the ants work; Pause, Step and Stop are beside it.",
                views,
            ),
            WindowStep(
                self._dashboard.panes[0],
                "The best solution appears here as the ants find it, with the trails that they "
                "leave.",
                views,
            ),
            WindowStep(
                self._readout,
                "These numbers say how good it is: the gap is how far it lies above the best known "
                "cost.",
                views,
            ),
            WindowStep(
                self._dashboard.down,
                "Each tab is another view of the same run, and the question mark says what it "
                "shows.",
                views,
            ),
            WindowStep(
                self._window.menuBar(),
                "Help has the guides (F1), a list of all keys, and this tour.",
                views,
            ),
        ]
