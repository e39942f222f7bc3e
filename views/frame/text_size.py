"""How large text is, with all that is around it; a change takes effect at the next start."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from views.frame.banner import Offer
from views.frame.settings import Settings

TEXT_SIZES = 100, 125, 150, 175, 200
"""Percent of the usual size."""

_NAME = "text-size"


def text_size(settings: Settings) -> int:
    """Return the size of text that the user has chosen, in percent."""
    kept = settings.get(_NAME, TEXT_SIZES[0])
    return kept if kept in TEXT_SIZES else TEXT_SIZES[0]


class TextSizeMenu:
    """The choice of a size. Qt takes a size for the whole process, and only as it begins."""

    def __init__(
        self,
        settings: Settings,
        menu: QMenu,
        tell: Callable[[str, list[Offer]], None],
        restart: Callable[[], object],
    ) -> None:
        self._settings, self._tell, self._restart = settings, tell, restart
        self.now = text_size(settings)
        group = QActionGroup(menu)
        self.choices: dict[int, QAction] = {}
        for size in TEXT_SIZES:
            action = menu.addAction(f"{size} %")
            action.setCheckable(True)
            action.setChecked(size == self.now)
            action.triggered.connect(lambda _=False, size=size: self.choose(size))
            group.addAction(action)
            self.choices[size] = action

    def choose(self, size: int) -> None:
        """Have text of this size from the next start on, and offer to start again."""
        self.choices[size].setChecked(True)
        if size == text_size(self._settings):
            return
        self._settings.put({_NAME: size})
        offer = Offer("Start again", "Close the window, and open it with this size", self._restart)
        offers = [] if size == self.now else [offer]
        self._tell(f"Text has {size} % of its usual size from the next start on", offers)

    def step(self, by: int) -> None:
        """Choose the next larger size, or smaller one, if there is one."""
        at = TEXT_SIZES.index(text_size(self._settings)) + by
        self.choose(TEXT_SIZES[min(max(at, 0), len(TEXT_SIZES) - 1)])
