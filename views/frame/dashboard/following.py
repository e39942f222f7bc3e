"""How views that were hidden as the theme changed follow it, a few parts at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection

from PySide6.QtCore import QObject, Signal, Slot

from views.widgets.steps import StepTimer
from views.widgets.view import View

_SOON = 16  # milliseconds between two steps of views that nobody sees


class Following(QObject):
    """Takes the steps of all views towards the theme: the first are those of views in sight."""

    styling = Signal(bool)  # whether a view in sight is still following the theme

    def __init__(
        self, parent: QObject, views: Collection[View], in_front: Callable[[], list[str]]
    ) -> None:
        super().__init__(parent)
        self._views, self._in_front = views, in_front
        self._timer = StepTimer(self, _SOON)
        self._timer.timeout.connect(self._step)
        for view in views:
            view.shown_early = self._hurry

    @property
    def lacks_theme(self) -> bool:
        """Whether a view in sight is still following the theme."""
        return any(view.lacks_theme and view.isVisible() for view in self._views)

    def begin(self) -> None:
        """Let hidden views follow, so that they need not once they are to be shown."""
        self._timer.start(_SOON)

    def finish(self) -> None:
        """Have all views in sight follow at once."""
        while self.lacks_theme:
            self._step()

    def _hurry(self) -> None:
        """Let a view in sight follow before the window is painted again."""
        self._timer.start(0)
        self.styling.emit(True)

    @Slot()
    def _step(self) -> None:
        """Let one view follow a little.

        After those in sight come those that are in sight when the user leaves the gallery.
        """
        in_front = self._in_front()

        def later(view: View) -> tuple[bool, bool]:
            return not view.isVisible(), view.key not in in_front

        if not any(view.follow_theme() for view in sorted(self._views, key=later)):
            self._timer.stop()
        if not self.lacks_theme:
            self._timer.setInterval(_SOON)
            self.styling.emit(False)
