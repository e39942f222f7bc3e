"""The gallery: what the window shows before anything is loaded."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from gpu.core.words import shown
from views.gallery.download_page import DownloadPage
from views.gallery.generate_page import GeneratePage
from views.gallery.instances_page import InstancesPage
from views.gallery.papers_page import PapersPage
from views.widgets.controls import OptionButtons, make_button
from views.widgets.guide_asked import GuideButton, set_target
from views.widgets.labels import plain_tip
from views.widgets.layouts import fill
from views.widgets.theme import Theme

_TOP_GAP, _GALLERY_MARGIN = 6, 8  # pixels
_TABS = {  # titles of the pages
    "instances": "Instances",
    "generate": "Make one",
    "download": "Download",
    "papers": "Papers",
}
_TIPS = {
    "instances": "Instances that are there, as pictures",
    "generate": "Make cities or a graph of any size from a seed",
    "download": "Fetch instances of TSPLIB, and graphs of the DIMACS challenge",
    "papers": "Tables and figures of the papers, to be measured again",
}
_GUIDES = {  # the passages about them
    "instances": "begin#instances",
    "generate": "begin#make-one",
    "download": "begin#download",
    "papers": "begin#papers",
}


class Gallery(QWidget):
    """Instances as pictures. What it cannot do itself, it asks for by a signal."""

    seen = Signal(bool)  # it has come into sight, or is not in sight any more
    draw_requested = Signal()
    open_requested = Signal()  # the user wants to choose a file
    back_requested = Signal()  # the user wants to see the instance that is loaded

    def __init__(self) -> None:
        super().__init__()
        self.instances, self.generate = InstancesPage(), GeneratePage()
        self.download, self.papers = DownloadPage(), PapersPage()
        self.setAccessibleName("Gallery")
        self.tabs = OptionButtons(_TABS, "")
        self.tabs.setAccessibleName("Pages of the gallery")
        self.pages = QStackedWidget()
        pages = self.instances, self.generate, self.download, self.papers
        for key, page in zip(_TABS, pages, strict=True):
            self.pages.addWidget(page)
            set_target(page, _GUIDES[key])
            self.tabs.buttons[key].setToolTip(plain_tip(_TIPS[key]))
        self.tabs.chosen.connect(self.show_page)
        self.papers.fetch_wanted.connect(lambda _: self.show_page("download"))
        self.draw_button = make_button(
            "", "Draw your own…", "Draw cities of your own, or trace a picture (Ctrl+Shift+D)"
        )
        self.open_button = make_button("", "Open a file…", "Open an instance or a run (Ctrl+O)")
        self.back_button = make_button("", "Back", "Back to the instance that is loaded (Esc)")
        self.draw_button.clicked.connect(self.draw_requested)
        self.instances.draw_requested.connect(self.draw_requested)
        self.open_button.clicked.connect(self.open_requested)
        self.back_button.clicked.connect(self.back_requested)
        self.guide_button = GuideButton(_GUIDES["instances"], "this page")
        buttons = self.draw_button, self.open_button, self.back_button, self.guide_button
        side = fill(QHBoxLayout(), (QWidget(), 1), *buttons, spacing=_TOP_GAP)
        self._top = fill(QBoxLayout(QBoxLayout.Direction.LeftToRight), self.tabs, (side, 1))
        self._top.setAlignment(self.tabs, Qt.AlignmentFlag.AlignLeft)
        top = QWidget()
        top.setLayout(self._top)
        top.setMinimumWidth(1)  # a narrow gallery has them one below the other
        self._top.setContentsMargins(0, 0, 0, 0)
        fill(
            QVBoxLayout(self),
            top,
            (self.pages, 1),
            margins=(_GALLERY_MARGIN, _GALLERY_MARGIN, _GALLERY_MARGIN, 4),
            spacing=_TOP_GAP,
        )
        self.offer_back("")

    def show_page(self, key: str) -> None:
        """Bring a page to the front, by its key in the tabs."""
        self.tabs.buttons[key].setChecked(True)
        self.pages.setCurrentIndex(list(_TABS).index(key))
        self.guide_button.target = _GUIDES[key]

    def offer_back(self, name: str) -> None:
        """Offer to go back to the instance ``name``; an empty name offers nothing."""
        self.back_button.setText(f"Back to {shown(name, 24)}")
        self.back_button.setVisible(bool(name))
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the buttons below the tabs where both have no room side by side."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        shown = [
            one
            for one in (self.draw_button, self.open_button, self.back_button, self.guide_button)
            if not one.isHidden()
        ]
        needed = sum(one.sizeHint().width() + _TOP_GAP for one in (self.tabs, *shown))
        beside = needed <= self.contentsRect().width() - 2 * _GALLERY_MARGIN
        way = QBoxLayout.Direction
        self._top.setDirection(way.LeftToRight if beside else way.TopToBottom)

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        self.instances.apply_theme(theme)
        self.generate.apply_theme(theme)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go back by Esc."""
        if event.key() == Qt.Key.Key_Escape and not self.back_button.isHidden():
            self.back_requested.emit()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Tell that it is in sight."""
        super().showEvent(event)
        self.seen.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Tell that it is not in sight any more."""
        super().hideEvent(event)
        self.seen.emit(False)
