"""What can be undone in the setup panel: changed choices, and presets kept or deleted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Self

from PySide6.QtCore import QObject
from PySide6.QtGui import QUndoCommand, QUndoStack

from gpu.core.errors import FormicariumError
from gpu.core.records import record_of

MOST_SETUPS_UNDONE = 200  # changes that can be undone

_CHANGE_WORDS = {
    "aim": "aim",
    "device": "device",
    "colony": "colony",
    "seed": "seed",
    "stop": "limit",
}


@dataclass(frozen=True, slots=True)
class PanelState:
    """All that the panel's fields show, right or wrong."""

    aim: str  # which aim is chosen; empty for the user's own choice
    device: str
    colony: str  # name of a catalog row
    parameters: Mapping[str, str | int | float | None]  # text of each; None where it is automatic
    seed: str
    stop: Mapping[str, object]  # as :meth:`views.setup.forms.StopForm.state` has it
    basis: str = "tuned"  # what parameters are that the user has not changed, as an Origin

    @property
    def texts(self) -> set[str]:
        """What is typed letter by letter, in the words of :meth:`change_to`."""
        return {
            _CHANGE_WORDS["seed"],
            _CHANGE_WORDS["stop"],
            *(_word(name) for name in self.parameters),
        }

    def to_dict(self) -> dict[str, object]:
        """Plain values, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: object) -> Self | None:
        """Build from :meth:`to_dict`'s form; None where it is anything else."""
        try:
            return record_of(cls, values, FormicariumError, "choices")
        except FormicariumError:
            return None

    def change_to(self, other: PanelState) -> str:
        """Return what differs in ``other``, in a word or two."""
        differing = [
            one.name for one in fields(self) if getattr(self, one.name) != getattr(other, one.name)
        ]
        if "aim" in differing and other.aim:
            return "aim"
        for name in ("device", "colony"):
            if name in differing:
                return name
        if "parameters" in differing:
            ours, theirs = self.parameters, other.parameters
            names = [name for name in theirs if ours.get(name) != theirs[name]]
            return _word(names[0]) if len(names) == 1 else "parameters"
        return _CHANGE_WORDS.get(differing[0], "choice") if differing else ""


def _word(name: str) -> str:
    return name.replace("_", " ")


class ChoiceHistory:
    """The choices before each change of the user's; ``restore`` shows choices again."""

    def __init__(self, restore: Callable[[PanelState], object], parent: QObject) -> None:
        self.stack = QUndoStack(parent)
        self.stack.setUndoLimit(MOST_SETUPS_UNDONE)
        self._restore = restore
        self._now: PanelState | None = None
        self._text = ""

    def begin(self, chosen: PanelState) -> None:
        """Forget all changes: another instance, or other choices, are shown."""
        self.stack.clear()
        self._now = chosen

    def note(self, chosen: PanelState) -> None:
        """Note what the user has changed; several changes of one text in a row count as one."""
        before, self._now = self._now, chosen
        if before is None or not before.device:  # the devices were not known yet
            self.stack.clear()
        elif before != chosen:
            text = self._text or before.change_to(chosen)
            self.stack.push(_Change(text, before, chosen, self._show))
        self._text = ""

    def call_next(self, text: str) -> None:
        """Let the next change be called ``text``, and count as one of its own."""
        self._text = text

    def do(self, text: str, do: Callable[[], object], undo: Callable[[], object]) -> None:
        """Do something that can be undone."""
        self.stack.push(_Deed(text, do, undo))

    def _show(self, chosen: PanelState) -> None:
        self._now = chosen
        self._restore(chosen)


class _Change(QUndoCommand):
    """A change from some choices to others."""

    def __init__(
        self, text: str, before: PanelState, after: PanelState, show: Callable[[PanelState], object]
    ) -> None:
        super().__init__(text)
        self._before, self.after, self._show = before, after, show
        self._shown = True  # the user has made the change himself

    def id(self) -> int:
        return 1

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, _Change) or other.text() != self.text():
            return False
        if self.text() not in self.after.texts:
            return False
        self.after = other.after
        self.setObsolete(self._before == self.after)
        return True

    def redo(self) -> None:
        if not self._shown:
            self._show(self.after)
        self._shown = False

    def undo(self) -> None:
        self._show(self._before)


class _Deed(QUndoCommand):
    """Anything else."""

    def __init__(self, text: str, do: Callable[[], object], undo: Callable[[], object]) -> None:
        super().__init__(text)
        self._do, self._undo = do, undo

    def redo(self) -> None:
        self._do()

    def undo(self) -> None:
        self._undo()
