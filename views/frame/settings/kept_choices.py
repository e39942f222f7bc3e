"""What the user has chosen: taken back, kept under a name, and there again at the next start."""

from __future__ import annotations

import json
from collections.abc import Callable

from PySide6.QtCore import QObject, Slot

from views.frame.actions import Actions
from views.frame.settings.record_choice import RecordChoice
from views.frame.settings.settings import Settings
from views.problem_display import DISPLAYS, problem_of
from views.setup.history import Chosen
from views.setup.preset import Preset
from views.setup.setup_panel import SetupPanel
from views.widgets.labels import plain_item

_NONE: list[str] = []


class KeptChoices(QObject):
    """Connects the setup panel with the settings, and with the actions Undo and Redo."""

    def __init__(self, setup: SetupPanel, actions: Actions, settings: Settings) -> None:
        super().__init__(setup)
        self._setup, self._actions, self._settings = setup, actions, settings
        self._locked = False
        self.record = RecordChoice(settings, actions.run_menu)
        stack = setup.history.stack
        actions.connect(
            {"undo": lambda: self._step(stack.undo), "redo": lambda: self._step(stack.redo)}
        )
        setup.preset_menu.own_changed.connect(self._keep_presets)
        self._restore()

    def _restore(self) -> None:
        """Show the user's presets, and what was chosen last once the devices are known."""
        found = (Preset.from_text(text) for text in self._settings.get("presets", _NONE))
        self._setup.preset_menu.show_own([preset for preset in found if preset is not None])
        last = {}
        for problem in DISPLAYS:
            try:
                values = json.loads(self._settings.get(f"choices-{problem}", "null"))
            except (ValueError, RecursionError):
                continue
            if (chosen := Chosen.from_dict(values)) is not None:
                last[str(problem)] = chosen
        self._setup.recall(last)

    def save(self) -> None:
        """Keep what the user has chosen for the problem that is shown."""
        chosen = self._setup.chosen
        if chosen.device:  # else the devices are not known yet, and nothing was chosen
            problem = problem_of(self._setup.instance.instance)
            self._settings.put({f"choices-{problem}": json.dumps(chosen.to_dict())})

    def show(self, *, locked: bool) -> None:
        """Say what can be undone; nothing can be while a run goes on (``locked``)."""
        self._locked = locked
        stack = self._setup.history.stack
        for name, possible, text in (
            ("undo", stack.canUndo(), stack.undoText()),
            ("redo", stack.canRedo(), stack.redoText()),
        ):
            action = self._actions[name]
            action.setEnabled(possible and not locked)
            action.setText(plain_item(" ".join(filter(None, (name.capitalize(), text)))))

    def _step(self, step: Callable[[], object]) -> None:
        step()
        self.show(locked=self._locked)

    @Slot()
    def _keep_presets(self) -> None:
        own = self._setup.preset_menu.own
        self._settings.put({"presets": [preset.to_text() for preset in own]})
        self.show(locked=self._locked)
