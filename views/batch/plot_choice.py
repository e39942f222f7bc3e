"""Which plot of a study is shown: by instance, kind and axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from views.setup.fields import ChoiceBox
from views.widgets.layouts import FlowLayout

_OVER_ALL = "All instances"


class PlotPlace(NamedTuple):
    """Where a plot is among the others of its study."""

    title: str
    instance: str  # the one that it shows; empty if it shows several
    kind: str  # what it shows of it, in words
    axis: str  # what is along its axis, where there is a choice; else empty


class PlotChoice(QWidget):
    """Three lists: of instances, of what there is of one, and of the axes that this can have."""

    chosen = Signal()  # another plot, perhaps

    def __init__(self) -> None:
        super().__init__()
        self._places: dict[str, PlotPlace] = {}
        self.instance = ChoiceBox(12, "Instance of the plot", "Of which instance a plot is shown")
        self.kind = ChoiceBox(18, "Plot", "What is shown of it")
        self.axis = ChoiceBox(8, "Axis of the plot", "What is along the axis")
        for box in (self.instance, self.kind, self.axis):
            box.activated.connect(self._chosen)
        self.setLayout(FlowLayout(self.instance, self.kind, self.axis, stretch=True))

    @property
    def plot(self) -> str:
        """Name of the chosen plot; empty while there is none."""
        wanted = self.instance.currentData(), self.kind.currentData(), self.axis.currentData()
        return next((name for name, one in self._places.items() if one[1:] == wanted), "")

    @property
    def title(self) -> str:
        """Title of the chosen plot."""
        return self._places[self.plot].title if self.plot else ""

    def show_plots(self, places: Mapping[str, PlotPlace]) -> None:
        """Offer these plots, by name; what was chosen stays chosen, as far as it is there."""
        self._places = dict(places)
        self._offer()

    def choose(self, name: str) -> None:
        """Choose a plot for the user, without a word."""
        place = self._places[name]
        for box, value in (
            (self.instance, place.instance),
            (self.kind, place.kind),
            (self.axis, place.axis),
        ):
            box.setCurrentIndex(box.findData(value))
            self._offer()

    @Slot()
    def _chosen(self) -> None:
        self._offer()
        self.chosen.emit()

    def _offer(self) -> None:
        """Offer what there is of the instance, and the axes that there are of that."""
        places = list(self._places.values())
        _fill(self.instance, [one.instance for one in places], {"": _OVER_ALL})
        places = [one for one in places if one.instance == self.instance.currentData()]
        _fill(self.kind, [one.kind for one in places], {})
        places = [one for one in places if one.kind == self.kind.currentData()]
        _fill(self.axis, [one.axis for one in places], {})
        self.axis.setVisible(self.axis.count() > 1)


def _fill(box: ChoiceBox, values: Sequence[str], texts: Mapping[str, str]) -> None:
    """Offer these values once each; the chosen one stays, else the first is chosen."""
    offered = list(dict.fromkeys(values))
    chosen = box.currentData()
    if [box.itemData(at) for at in range(box.count())] == offered:
        return
    box.clear()
    for value in offered:
        box.addItem(texts.get(value, value), value)
    box.setCurrentIndex(offered.index(chosen) if chosen in offered else 0 if offered else -1)
