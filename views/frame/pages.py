"""What the window shows beside the setup panel: the gallery, or the views."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget

from views.gallery.gallery import Gallery

_LONGEST_STAY = 400  # milliseconds that the gallery waits for the second click of a double click


class Pages(QStackedWidget):
    """The gallery in front, or the views."""

    left_gallery = Signal()  # the views have come to the front; the gallery had the focus

    def __init__(self, gallery: Gallery, views: QWidget) -> None:
        super().__init__()
        self.gallery, self._views = gallery, views
        self.addWidget(gallery)
        self.addWidget(views)
        self._due = False  # whether the views are to come to the front
        self._stay = QTimer(self, singleShot=True)
        self._stay.timeout.connect(self._stayed)

    @property
    def shows_gallery(self) -> bool:
        """Whether the gallery is in front."""
        return self.currentWidget() is self.gallery

    @Slot()
    def show_gallery(self) -> None:
        """Bring the gallery to the front."""
        self._due = False
        self.setCurrentWidget(self.gallery)
        self.gallery.instances.take_focus()

    @Slot()
    def show_views_soon(self) -> None:
        """Bring the views to the front once the present event is over: that takes its own time."""
        self._due = True
        if not self._stay.isActive():
            self._stay.start(0)

    @Slot()
    def show_views(self) -> None:
        """Bring the views to the front, as soon as a click cannot become a double click."""
        if self._stay.isActive():
            self._due = True
        elif self.shows_gallery:
            focus = self.window().focusWidget()
            focused = focus is not None and self.gallery.isAncestorOf(focus)
            self.setCurrentWidget(self._views)
            if focused:
                self.left_gallery.emit()

    @Slot()
    def wait_for_click(self) -> None:
        """Let the gallery stay until a click on it cannot become a double click any more."""
        self._stay.start(min(QApplication.doubleClickInterval(), _LONGEST_STAY))

    @Slot()
    def wait_no_more(self) -> None:
        """Forget about a double click."""
        self._stay.stop()
        self._stayed()

    def _stayed(self) -> None:
        if self._due:
            self._due = False
            self.show_views()
