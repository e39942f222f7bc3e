"""What is chosen for a run, and presets: named choices of parameters and limits, and their menu."""

from __future__ import annotations

import importlib.resources
import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Self

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QInputDialog, QMenu, QWidget

from gpu.core.errors import FormicariumError
from gpu.core.records import record_of
from gpu.core.words import shown
from views.setup.history import ChoiceHistory
from views.widgets.labels import plain_item, plain_tip


@dataclass(frozen=True, slots=True)
class Choices:
    """What the user chose, as names and numbers."""

    device: str
    colony: str  # name of a catalog row
    parameters: Mapping[str, object]  # text of each; None where it is automatic
    seed: int  # 0 <= seed < 2^64
    stop: Mapping[str, float | int | None]  # the run's limits


PRESET_NAME_LONGEST = 60  # characters of a preset's name


@dataclass(frozen=True, slots=True)
class Preset:
    """What a file of ``resources/presets`` says, or what the user has kept."""

    name: str  # for the menu
    description: str  # for its tool tip
    # Values that differ from the paper's defaults; "auto" for automatic. A colony takes its own.
    parameters: Mapping[str, object]
    stop: Mapping[str, Any] | None = None  # limits of the run; None leaves them as they are
    aliases: tuple[str, ...] = ()  # of the colonies that it is for; empty for all

    def is_for(self, alias: str) -> bool:
        """Whether it is for colonies with this ``alias``."""
        return not self.aliases or alias in self.aliases

    def to_text(self) -> str:
        """Return it as JSON, to be kept."""
        plain = {"name": self.name, "parameters": dict(self.parameters)}
        stop = None if self.stop is None else dict(self.stop)
        return json.dumps({**plain, "stop": stop, "searches": list(self.aliases)})

    @classmethod
    def from_text(cls, text: str) -> Self | None:
        """Build from :meth:`to_text`'s form; None where it is anything else."""
        try:
            kept = record_of(_KeptPreset, json.loads(text), FormicariumError, "preset")
        except (ValueError, RecursionError, FormicariumError):
            return None
        return cls(kept.name, OWN, kept.parameters, kept.stop, kept.searches)


@dataclass(frozen=True, slots=True)
class _KeptPreset:
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=PRESET_NAME_LONGEST)]
    parameters: dict[str, str | bool | int | float | None]
    stop: dict[str, str | bool | int | float | None] | None
    searches: tuple[str, ...]


OWN = "A preset of your own"


_DIALOG = "preset-name"


class PresetMenu(QMenu):
    """Offers the presets for colonies with one alias, and keeps or deletes the user's own.

    ``current`` makes a preset of a name from what the panel shows; None if it is not valid.
    """

    chosen = Signal(object)  # the Preset that the user chose
    own_changed = Signal()  # the user has kept or deleted one

    def __init__(
        self, parent: QWidget, history: ChoiceHistory, current: Callable[[str], Preset | None]
    ) -> None:
        super().__init__(parent, toolTipsVisible=True)
        self._history, self._current = history, current
        self._alias = ""
        self._bundled: tuple[Preset, ...] = ()
        self.own: tuple[Preset, ...] = ()
        self._made: list[QAction] = []  # of the presets
        self._line = self.addSeparator()
        self.keep = self.addAction("Keep these as a preset…")
        self.keep.setToolTip("Give the parameters and limits a name, and find them here again")
        self.keep.triggered.connect(self._ask_for_name)
        self.delete_menu = self.addMenu("Delete a preset")

    def show_bundled(self, presets: Sequence[Preset]) -> None:
        """Offer the presets that come with the program."""
        self._bundled = tuple(presets)
        self.show_alias(self._alias)

    def show_own(self, presets: Sequence[Preset]) -> None:
        """Offer the presets that the user has kept."""
        self.own = tuple(presets)
        self.show_alias(self._alias)

    def show_alias(self, alias: str) -> None:
        """Offer those that are for colonies with this ``alias``; all if it is empty."""
        self._alias = alias
        for old in self._made:
            self.removeAction(old)
            old.deleteLater()
        self._made = []
        self.delete_menu.clear()
        for group in (self._bundled, self.own):
            for preset in group:
                if not alias or preset.is_for(alias):
                    action = QAction(plain_item(preset.name), self)
                    action.setToolTip(plain_tip(preset.description))
                    action.triggered.connect(partial(self._choose, preset))
                    self._made.append(action)
        self.insertActions(self._line, self._made)
        for preset in self.own:
            action = self.delete_menu.addAction(plain_item(preset.name))
            action.triggered.connect(partial(self._delete, preset))
        self._line.setVisible(bool(self._made))
        self.delete_menu.menuAction().setEnabled(bool(self.own))

    def _choose(self, preset: Preset, _: bool = False) -> None:
        self.chosen.emit(preset)

    def _ask_for_name(self) -> None:
        dialog = QInputDialog(self.parentWidget())
        dialog.setObjectName(_DIALOG)
        dialog.setWindowTitle("Keep a preset")
        dialog.setLabelText("Name of the preset:")
        dialog.textValueSelected.connect(self._keep)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _keep(self, text: str) -> None:
        """Keep what is shown as a preset of this name; it replaces one that has it."""
        name = shown(" ".join(text.split()), PRESET_NAME_LONGEST)
        preset = self._current(name) if name else None
        if preset is None:
            return
        others = [one for one in self.own if (one.name, one.aliases) != (name, preset.aliases)]
        self._change(f"preset {name}", (*others, preset))

    def _delete(self, preset: Preset, _: bool = False) -> None:
        kept = tuple(one for one in self.own if one != preset)
        self._change(f"deletion of {preset.name}", kept)

    def _change(self, text: str, after: Sequence[Preset]) -> None:
        before = self.own
        self._history.do(text, partial(self._have, after), partial(self._have, before))
        self.own_changed.emit()  # it can be undone now

    def _have(self, presets: Sequence[Preset]) -> None:
        self.show_own(presets)
        self.own_changed.emit()


def presets() -> tuple[Preset, ...]:
    """Return all presets, sorted by their ``order``."""
    folder = importlib.resources.files("resources") / "presets"
    files = [file for file in folder.iterdir() if file.name.endswith(".toml")]
    found = [tomllib.loads(file.read_text("utf-8")) for file in files]
    found.sort(key=lambda one: int(one["order"]))
    return tuple(record_of(Preset, one, FormicariumError, "preset") for one in found)
