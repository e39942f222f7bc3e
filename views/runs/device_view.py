"""The device, the time by phase, the moves of local search, and the branching factor."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QVBoxLayout, QWidget

from gpu.core.formats import byte_size, milliseconds, number_of, quantity, significant, whole
from gpu.core.instance import Instance
from gpu.core.machine.devices import Device
from gpu.core.snapshot import MovesMade, RunState, Wanted
from views.plots.bounded_curve import BoundedCurve
from views.problem_display import display_of
from views.widgets.bars import Bar, Bars
from views.widgets.labels import Label, make_label
from views.widgets.layouts import fill
from views.widgets.plot import PlotWidget
from views.widgets.view import View

_BRANCHING_HINT = "Measured while a colony runs and this view is in sight."
_PHASE_ROLES = ("latest", "best", "trail", "gap", "mean")


class DeviceView(View):
    """Device, milliseconds by phase, moves of local search, branching factor, trail limits."""

    key = "device"
    has_values = True
    title = "Device"
    wanted = collected = Wanted.NUMBERS

    def __init__(self) -> None:
        super().__init__()
        self._told: dict[str, str] = {}  # what is said of the device
        self._snapshot: RunState | None = None
        self._history = BoundedCurve()
        self.facts = QGridLayout()
        self.facts.setHorizontalSpacing(12)
        self.facts.setVerticalSpacing(3)
        self.facts.setColumnStretch(1, 1)
        self.phases = Bars()
        self.phases.setAccessibleName("Times of the phases")
        self.phases_title = make_label("heading", wrap=True)
        self.phases_note = make_label("note", "Shown while a colony runs.")
        self.moves_title = make_label("heading", wrap=True)
        self.moves = Bars()
        self.moves.setAccessibleName("Moves of the local search")
        self.branching_title = make_label("heading")
        self.limits_note = make_label("note", wrap=True)
        self.plot = PlotWidget("iterations", "factor")
        self.curve = self.plot.add_curve("trail", 2.0, name="Branching factor")
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
        scroll.setAccessibleName("Facts about the device")
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

    def show_instance(self, instance: Instance | None) -> None:
        """Show the branching factor if colonies for ``instance`` have one."""
        branching = display_of(instance).branching
        self.wanted = self.collected = Wanted.BRANCHING if branching else Wanted.NUMBERS
        self.branching_title.setVisible(branching)
        self.plot.setVisible(branching)
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
        software = (f"{name} {at}" for name, at in versions.items() if name != "platform")
        facts["Versions"] = ", ".join(software)
        if "platform" in versions:
            facts["System"] = versions["platform"]
        if facts == self._told:  # each run tells it
            return
        self._told = facts
        while (item := self.facts.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for row, (name, text) in enumerate(facts.items()):
            value = Label(text)
            value.setWordWrap(True)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self.facts.addWidget(make_label("note", name), row, 0, Qt.AlignmentFlag.AlignTop)
            self.facts.addWidget(value, row, 1)

    def begin_run(self) -> None:
        """Forget the former run's times."""
        self._snapshot = None
        self._made = (False, False)
        self._history.clear()
        self.plot.fit()
        self.draw()

    def take_in(self, snapshot: RunState) -> None:
        """Keep the latest times, and add a point to the branching factor."""
        self._snapshot = snapshot
        if (made := snapshot.moves) is not None:
            self._made = self._made[0] or made.two_opt > 0, self._made[1] or made.or_opt > 0
        if snapshot.branching is not None and snapshot.iteration:
            self._history.append(snapshot.iteration, snapshot.elapsed, snapshot.branching)

    def draw(self) -> None:
        """Draw the times by phase, the moves of local search, and the branching factor."""
        state = self._snapshot
        self._draw_phases({} if state is None else state.phases)
        self._draw_moves(None if state is None else state.moves)
        limits = None if state is None else state.limits
        self.limits_note.setVisible(limits is not None)
        if limits is not None:
            low, high = map(quantity, limits)
            text = f"Trails are kept between {low} and {high} of the initial one."
            self.limits_note.setText(text)
        points, title = self._history.points(), "BRANCHING FACTOR"
        self.curve.set_points(points)
        self.plot.show_hint("" if len(points) else _BRANCHING_HINT)
        if len(points):
            title += f"  ·  {significant(float(points[-1, 1]))}"
            highest = max(3.0, float(points[:, 1].max()) * 1.05)
            self.plot.follow((0.0, float(points[-1, 0])), (1.0, highest), growing=True)
        self.branching_title.setText(title)

    def _draw_phases(self, phases: Mapping[str, float]) -> None:
        total = sum(phases.values())
        an_iteration = f"  ·  {milliseconds(total)} an iteration" if total > 0 else ""
        self.phases_title.setText("TIME BY PHASE" + an_iteration)
        self.phases.show_bars(
            [
                Bar(name, f"{milliseconds(ms)}  {100 * ms / total:.0f} %", ms, role)
                for (name, ms), role in zip(phases.items(), cycle(_PHASE_ROLES), strict=False)
                if total > 0
            ]
        )
        self.phases.setVisible(total > 0)
        self.phases_note.setVisible(total <= 0)

    def _draw_moves(self, made: MovesMade | None) -> None:
        self.moves_title.setVisible(made is not None)
        self.moves.setVisible(made is not None)
        if made is None:
            return
        kinds = (("2-opt", made.two_opt, "latest"), ("Or-opt", made.or_opt, "best"))
        self.moves.show_bars(  # a kind that no ant has made in this run is not searched, as a rule
            [
                Bar(name, whole(moves), moves, role)
                for (name, moves, role), ever in zip(kinds, self._made, strict=True)
                if ever
            ]
        )
        total = made.two_opt + made.or_opt
        moves = number_of(total, "move")
        self.moves_title.setText(f"LOCAL SEARCH  ·  {moves} in an iteration")
