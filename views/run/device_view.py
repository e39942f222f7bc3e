"""The device, the time by phase, the moves of local search, and the branching factor."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from gpu.core.devices import Device
from gpu.core.instance import Instance
from gpu.core.snapshot import Improvements, Snapshot, Wanted
from gpu.core.words import counted
from views.decision.decision_words import quantity
from views.plots.history import History
from views.problem_display import display_of
from views.widgets.bars import Bar, Bars
from views.widgets.formats import byte_size, milliseconds, significant, whole
from views.widgets.labels import make_label
from views.widgets.layouts import fill
from views.widgets.plot import Plot
from views.widgets.view import View

_BRANCHING_HINT = "Measured while a colony runs and this view is in sight."

_PHASE_ROLES = ("latest", "best", "trail", "gap", "mean")


class DeviceView(View):
    """Device, milliseconds by phase, moves of local search, branching factor, trail limits."""

    key = "device"
    title = "Device"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._snapshot: Snapshot | None = None
        self.facts = QGridLayout()
        self.facts.setHorizontalSpacing(12)
        self.facts.setVerticalSpacing(3)
        self.facts.setColumnStretch(1, 1)
        self.phases = Bars()
        self.phases_title = make_label("heading", "TIME BY PHASE")
        self.phases_note = make_label("note", "Shown while a colony runs.")
        self.moves_title = make_label("heading", "LOCAL SEARCH")
        self.moves = Bars()
        self.branching_title = make_label("heading", "BRANCHING FACTOR")
        self.limits_note = make_label("note", wrap=True)
        self.plot = Plot("iterations", "factor")
        self.curve = self.plot.add_curve("trail", 2.0)
        self._history = History()
        page = QWidget()
        page.setProperty("role", "page")
        phases = self.phases_title, self.phases_note, self.phases
        moves = self.moves_title, self.moves
        branching = self.branching_title, self.limits_note, (self.plot, 1)
        device = make_label("heading", "DEVICE"), self.facts
        parts = *phases, 4, *moves, 4, *branching, 4, *device
        inner = fill(QVBoxLayout(page), *parts, margins=(2, 2, 6, 2))
        inner.addStretch(0)  # fills the page if there is no plot
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(page)
        fill(QVBoxLayout(self), scroll, margins=(8, 8, 4, 4))
        self.moves.setToolTip("How often each kind of move made a tour of this iteration shorter")
        self.plot.setToolTip(
            "The mean λ-branching factor (λ = 0.05): how many edges at a city carry a trail that "
            "an ant may still follow. Near 2 the colony repeats itself."
        )
        self.apply_theme(self.theme)
        self.show_instance(None)

    @property
    def wanted(self) -> Wanted:
        """The branching factor, if colonies for this problem have one."""
        return Wanted.BRANCHING if self._branches else Wanted.NUMBERS

    def show_instance(self, instance: Instance | None) -> None:
        """Show the branching factor if colonies for ``instance`` have one."""
        self._branches = display_of(instance).branching
        self.branching_title.setVisible(self._branches)
        self.plot.setVisible(self._branches)
        self.begin_run()

    def show_device(self, device: Device, versions: Mapping[str, str]) -> None:
        """Show what ``device`` is, and the versions of the software."""
        unit = "multiprocessors" if device.kind == "cuda" else "cores"
        facts = {
            "Name": device.name,
            "Model": device.model,
            unit.capitalize(): whole(device.cores),
            "Memory": byte_size(device.memory),
        }
        if device.kind == "cuda":  # the versions name that of a CPU
            facts["Runtime"] = device.detail
        facts["Versions"] = ", ".join(
            f"{name} {number}" for name, number in versions.items() if name != "platform"
        )
        if "platform" in versions:
            facts["System"] = versions["platform"]
        while (item := self.facts.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for row, (name, text) in enumerate(facts.items()):
            label = make_label("note", name)
            value = QLabel(text)
            value.setWordWrap(True)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self.facts.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
            self.facts.addWidget(value, row, 1)

    def begin_run(self) -> None:
        """Forget the former run's times."""
        self._snapshot = None
        self._history.clear()
        self.curve.set_points(self._history.points())
        self.phases.show_bars(())
        self.phases.hide()
        self.phases_note.show()
        self.phases_title.setText("TIME BY PHASE")
        self.moves_title.hide()
        self.moves.hide()
        self.branching_title.setText("BRANCHING FACTOR")
        self.limits_note.hide()
        self.plot.fit()
        self.draw()

    def take_in(self, snapshot: Snapshot) -> None:
        """Keep the latest times, and add a point to the branching factor."""
        self._snapshot = snapshot
        if snapshot.branching is not None and snapshot.iteration:
            self._history.append(snapshot.iteration, snapshot.elapsed, snapshot.branching)

    def draw(self) -> None:
        """Draw the times by phase and the branching factor."""
        if self._snapshot is None:
            self.plot.show_hint(_BRANCHING_HINT)
            return
        phases = self._snapshot.phases
        total = sum(phases.values())
        if total > 0:
            self.phases.show_bars(
                [
                    Bar(name, f"{milliseconds(ms)}  {100 * ms / total:.0f} %", ms, role)
                    for (name, ms), role in zip(phases.items(), _cycle(len(phases)), strict=True)
                ]
            )
            self.phases_title.setText(f"TIME BY PHASE  ·  {milliseconds(total)} an iteration")
        self.phases.setVisible(total > 0)
        self.phases_note.setVisible(total <= 0)
        self._draw_moves(self._snapshot.improvements)
        limits = self._snapshot.limits
        self.limits_note.setVisible(limits is not None)
        if limits is not None:
            self.limits_note.setText(
                "Trails are kept between {} and {} of the initial one.".format(
                    *map(quantity, limits)
                )
            )
        points = self._history.points()
        self.plot.show_hint("" if len(points) else _BRANCHING_HINT)
        if len(points):
            self.curve.set_points(points)
            value = significant(float(points[-1, 1]))
            self.branching_title.setText(f"BRANCHING FACTOR  ·  {value}")
            high = float(points[:, 1].max())
            self.plot.follow(
                (0.0, float(points[-1, 0])), (1.0, max(3.0, high * 1.05)), growing=True
            )

    def _draw_moves(self, made: Improvements | None) -> None:
        self.moves_title.setVisible(made is not None)
        self.moves.setVisible(made is not None)
        if made is None:
            return
        kinds = (("2-opt", made.two_opt, "latest"), ("Or-opt", made.or_opt, "best"))
        self.moves.show_bars([Bar(name, whole(moves), moves, role) for name, moves, role in kinds])
        total = made.two_opt + made.or_opt
        made_in_all = counted(total, "improvement", whole(total))
        self.moves_title.setText(f"LOCAL SEARCH  ·  {made_in_all} in an iteration")


def _cycle(count: int) -> list[str]:
    return [_PHASE_ROLES[at % len(_PHASE_ROLES)] for at in range(count)]
