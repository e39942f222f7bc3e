"""What the window shows beside the setup panel: the gallery or the views, scrolled if need be."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QFrame, QScrollArea, QStackedWidget, QWidget

from views.gallery.gallery import Gallery

_LEAST_CONTENTS = 940, 500  # what a window of 940 × 572 shows; a smaller one scrolls


class Contents(QWidget):
    """The whole of what the window shows."""

    def heightForWidth(self, width: int) -> int:
        """Return that the width decides nothing.

        Else one page with lines that wrap would make all of them as high as the highest one would
        like to be, even if that is out of sight.
        """
        return -1


class Scrolled(QScrollArea):
    """Scrolls ``contents`` in a small window. Tab brings what has the focus into sight."""

    def __init__(self, contents: Contents) -> None:
        super().__init__(widgetResizable=True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._contents = contents
        self.setWidget(contents)
        self.squeeze(on=False)

    def squeeze(self, *, on: bool) -> None:
        """Never scroll: a presentation leaves out what has no room."""
        self._contents.setMinimumSize(*((1, 1) if on else _LEAST_CONTENTS))


_DOUBLE_CLICK = 400  # milliseconds that the gallery waits for the second click of a double click


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
        self._stay.start(min(QApplication.doubleClickInterval(), _DOUBLE_CLICK))

    @Slot()
    def wait_no_more(self) -> None:
        """Forget about a double click."""
        self._stay.stop()
        self._stayed()

    def _stayed(self) -> None:
        if self._due:
            self._due = False
            self.show_views()
