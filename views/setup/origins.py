"""Where values of parameters come from: a paper, what was measured for a size, or the user."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from gpu import aims
from gpu.aims import Aim
from gpu.catalog import family_of
from gpu.core.instance import Instance
from gpu.core.machine.devices import Device
from gpu.core.system import System
from views.widgets.controls import make_button
from views.widgets.labels import make_label, plain_tip
from views.widgets.layouts import fill

BY_USER = "changed by you"


class Origin(enum.StrEnum):
    """Where the values come from that nobody has changed."""

    TUNED = "tuned"
    PAPER = "paper"
    WATCH = "watch"


_WORDS = {Origin.TUNED: "tuned for this size", Origin.WATCH: "for watching"}


@dataclass(frozen=True, slots=True)
class Basis:
    """The values of a colony's parameters before somebody changes some of them."""

    origin: Origin = Origin.PAPER
    values: Mapping[str, object] = field(default_factory=dict)  # that are not the defaults
    ours: bool = False  # whether the colony is ours: its defaults are of no paper
    choosable: bool = False  # whether what was tuned differs from the defaults

    @property
    def defaults(self) -> str:
        """What the defaults are called."""
        return "colony's defaults" if self.ours else "paper's defaults"

    def word(self, name: str) -> str:
        """Where the value of the parameter ``name`` comes from."""
        return _WORDS[self.origin] if name in self.values else self.defaults

    @property
    def sentence(self) -> str:
        """Where all values come from that nobody has changed."""
        if not self.values:
            return f"The {self.defaults}."
        word = _WORDS[self.origin]
        return f"• {word[:1].upper()}{word[1:]}; the others are the {self.defaults}."


PAPERS = Basis()
"""A paper's defaults, where nothing else is known."""


def basis_of(
    origin: Origin, system: System, instance: Instance | None, device: Device | None
) -> Basis:
    """Return what ``system`` has of this origin for ``instance`` on ``device``."""
    ours = family_of(system).paper.startswith("ours")
    known = (
        aims.tuned(system, instance, device)
        if instance is not None and device is not None and instance.problem is system.problem
        else {}
    )
    defaults = system.parameters().to_dict()
    known = {name: value for name, value in known.items() if value != defaults[name]}
    values: Mapping[str, object] = known if origin is Origin.TUNED else {}
    if origin is Origin.WATCH and instance is not None and device is not None:
        choice = aims.choice(Aim.WATCH, instance, device)
        values = choice.parameters if choice.system is system else {}
    return Basis(origin, values, ours, bool(known))


class Mark(QToolButton):
    """A sign as narrow as it can be, which takes back what was changed."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "mark")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return the size of its sign, with no room around it."""
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance("↺") + 2, metrics.height() + 6)


_STAYS = "What you change stays with the next colony that has it; no other value does"


class OriginRow(QWidget):
    """Says where the values come from; two buttons choose, and one takes back all changes.

    How many are changed stands in :attr:`changes`, below the parameters: nothing above them grows
    when one is changed, and the field that is typed into stays below the mouse.
    """

    chosen = Signal(str)  # an Origin
    reset = Signal()  # of all that was changed

    def __init__(self) -> None:
        super().__init__()
        tips = {
            Origin.TUNED: ("Tuned", "What was found to suit this colony for such a size"),
            Origin.PAPER: ("Paper's", "The defaults of the colony's paper"),
        }
        self.buttons = {
            origin: make_button("segment", text, tip, self._choice(origin))
            for origin, (text, tip) in tips.items()
        }
        for button in self.buttons.values():
            button.setCheckable(True)
        tip = f"Take back all that was changed. {_STAYS}"
        self.reset_button = make_button("segment", "Reset all", tip)
        policy = self.reset_button.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.reset_button.setSizePolicy(policy)
        self.reset_button.clicked.connect(lambda: self.reset.emit())
        self.order = (*self.buttons.values(), self.reset_button)  # of Tab
        self.note, self.changes = (make_label("note", wrap=True) for _ in range(2))
        self._short = make_label("note")  # in place of the note where there is nothing to choose
        self.changes.setToolTip(plain_tip(_STAYS))
        top = fill(QHBoxLayout(), *self.buttons.values(), (self._short, 1), self.reset_button)
        top.setSpacing(0)
        fill(QVBoxLayout(self), top, self.note, spacing=3)

    def _choice(self, origin: Origin) -> Callable[[], None]:
        def choose() -> None:
            self.buttons[origin].setChecked(True)  # a second click does not release it
            self.chosen.emit(origin)

        return choose

    def show_origin(self, basis: Basis, changed: Mapping[str, int]) -> None:
        """Say where values come from, and how many were ``changed`` by whom."""
        for origin, button in self.buttons.items():
            button.setVisible(basis.choosable)
            button.setChecked(origin is basis.origin)
        self.reset_button.setVisible(bool(changed))
        short = not basis.choosable and not basis.values
        self._short.setText(basis.sentence if short else "")
        self.note.setText(basis.sentence)
        self.note.setHidden(short)
        said = ", ".join(f"{count} {by}" for by, count in changed.items())
        self.changes.setText(f"↺ {said}." if said else " ")  # a line, with or without a text
