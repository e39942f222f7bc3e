"""How much of the past of each run is recorded."""

from __future__ import annotations

from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu

from views.frame.settings.settings import Settings
from views.widgets.labels import plain_tip

LIMITS = 0, 5, 20, 100, 500  # MB
_USUAL = 20


class RecordChoice:
    """A menu with the limits of a file of frames. The choice is there at the next start."""

    def __init__(self, settings: Settings, run_menu: QMenu) -> None:
        kept = settings.get("record", _USUAL)
        self.limit = kept if kept in LIMITS else _USUAL  # MB; 0 records nothing
        self._settings = settings
        menu = run_menu.addMenu("Record")
        menu.setToolTipsVisible(True)
        group = QActionGroup(run_menu)
        for limit in LIMITS:
            action = menu.addAction(f"At most {limit} MB a run" if limit else "Nothing")
            tip = "How its solutions and trails change is kept, to be shown again and filmed"
            action.setToolTip(plain_tip(tip if limit else "Only the log is kept"))
            action.setCheckable(True)
            action.setChecked(limit == self.limit)
            action.triggered.connect(lambda _=False, limit=limit: self._choose(limit))
            group.addAction(action)

    def _choose(self, limit: int) -> None:
        self.limit = limit
        self._settings.put({"record": limit})
