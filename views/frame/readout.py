"""The most important numbers, in large type."""

from __future__ import annotations

from collections import deque

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout

from gpu.core.bounds import LowerBound
from gpu.core.formats import compact, duration, percent, whole
from gpu.core.instance import Instance
from gpu.core.snapshot import RunState
from views.problem_display import display_of
from views.widgets.labels import make_label, plain_tip
from views.widgets.layouts import fill

_RATE_OVER = 2.0  # seconds of solving over which solutions per second are averaged

# Share of the width for each number.
_SHARES = {"best": 4, "gap": 3, "iteration": 3, "rate": 3, "elapsed": 3}


class Readout(QFrame):
    """Best cost, gap, iteration, solutions a second, time."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._instance: Instance | None = None
        self._recent: deque[tuple[float, int]] = deque()
        self.values: dict[str, QLabel] = {}
        self.headings: dict[str, QLabel] = {}
        layout = fill(QHBoxLayout(self), margins=(14, 6, 14, 7), spacing=14)
        for name, share in _SHARES.items():
            heading = make_label("heading")
            value = make_label("best" if name == "best" else "number")
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            layout.addLayout(fill(QVBoxLayout(), heading, value, spacing=0), share)
            self.headings[name], self.values[name] = heading, value
        self.show_instance(None)

    def show_instance(self, instance: Instance | None) -> None:
        """Prepare for runs on ``instance``, and head each number in the words of its problem."""
        self._instance = instance
        display = display_of(instance)
        words = display.words
        self._gap_tip = f"How far the best {words.solution} lies above {words.known}"
        rate_tip = f"{words.solutions.capitalize()} built a second, over the last two seconds"
        for name, title, tip in (
            ("best", display.best, display.best_tip),
            ("gap", "GAP", self._gap_tip),
            ("iteration", "ITERATION", "Iterations finished"),
            ("rate", f"{words.solutions.upper()} / S", rate_tip),
            ("elapsed", "ELAPSED", "Time spent solving, pauses excluded"),
        ):
            self.headings[name].setText(title)
            self.values[name].setToolTip(plain_tip(tip))
        self.begin_run()

    def begin_run(self) -> None:
        """Show dashes."""
        self._recent.clear()
        self._bound: LowerBound | None = None
        self._head_gap(optimal=False)
        for value in self.values.values():
            value.setText("–")

    def _head_gap(self, *, optimal: bool) -> None:
        """Head the gap by what it is measured by, and say why that is known."""
        bound, instance = self._bound, self._instance
        known = instance is not None and bool(instance.optimum)
        heading, tip = "GAP", self._gap_tip
        if bound is not None:
            words = display_of(instance).words
            least = words.amount(bound.cost, whole(bound.cost))
            why = f"Every {words.solution} has at least {least}: {bound.why}"
            tip = f"{tip}. {why}" if known else why
            if optimal:
                heading = "PROVED"
            elif not known:
                heading = "GAP TO BOUND"
        self.headings["gap"].setText(heading)
        self.values["gap"].setToolTip(plain_tip(tip))

    def show_elapsed(self, seconds: float) -> None:
        """Show the time of a run, which goes on while an iteration is under way."""
        self.values["elapsed"].setText(duration(seconds))

    def show_race(self, best: int | None, seconds: float) -> None:
        """Show the best cost of all lanes of a race, None before there is one, and its time."""
        self.show_elapsed(seconds)
        if best is not None:
            self._show_best(best)

    def show_snapshot(self, snapshot: RunState) -> None:
        """Show the numbers of ``snapshot``."""
        self._recent.append((snapshot.elapsed, snapshot.solutions_built))
        while len(self._recent) > 2 and self._recent[1][0] < snapshot.elapsed - _RATE_OVER:
            self._recent.popleft()
        self.values["iteration"].setText(whole(snapshot.iteration))
        self.show_elapsed(snapshot.elapsed)
        self._bound = snapshot.bound
        if snapshot.best_cost is None:
            return
        self._show_best(snapshot.best_cost)
        since, tours = self._recent[0] if len(self._recent) > 1 else (0.0, 0)
        if snapshot.elapsed > since:
            rate = (snapshot.solutions_built - tours) / (snapshot.elapsed - since)
            self.values["rate"].setText(compact(rate))

    def _show_best(self, cost: int) -> None:
        self.values["best"].setText(whole(cost))
        bound, gap = self._bound, self._instance.gap_percent(cost) if self._instance else None
        if bound is not None and gap is None:
            gap = 100 * (cost - bound.cost) / bound.cost
        optimal = bound is not None and cost == bound.cost
        self._head_gap(optimal=optimal)
        self.values["gap"].setText("optimal" if optimal else percent(gap))
