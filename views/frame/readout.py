"""The most important numbers, in large type."""

from __future__ import annotations

from collections import deque

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout

from gpu.core.bounds import KnownCosts, LowerBound
from gpu.core.cost_unit import NO_UNIT
from gpu.core.formats import compact, duration, whole
from gpu.core.instance import Instance
from gpu.core.snapshot import RunState
from gpu.races.race_standings import Lead
from views.problem_display import display_of
from views.widgets.announcing import RunNews, announce
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
        self.setAccessibleName("Numbers of the run")
        self._instance: Instance | None = None
        self._recent: deque[tuple[float, int]] = deque()
        self._earlier: int | None = None  # the best of the user's earlier runs
        self._newest: RunState | None = None  # what is shown
        self._news = RunNews()
        self.values: dict[str, QLabel] = {}
        self.headings: dict[str, QLabel] = {}
        layout = fill(QHBoxLayout(self), margins=(14, 6, 14, 7), spacing=14)
        for name, share in _SHARES.items():
            heading = make_label("heading")
            value = make_label("best" if name == "best" else "number")
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            heading.setBuddy(value)  # a screen reader says what the number is
            layout.addLayout(fill(QVBoxLayout(), heading, value, spacing=0), share)
            self.headings[name], self.values[name] = heading, value
        self.show_instance(None)

    def show_instance(self, instance: Instance | None) -> None:
        """Prepare for runs on ``instance``, and head each number in the words of its problem."""
        self._instance = instance
        display = display_of(instance)
        words = display.words
        self._gap_tip = f"How far the best {words.solution} lies above {words.known}"
        for name, title, tip in (
            ("best", f"{display.best}{self._unit}", display.best_tip),
            ("gap", "GAP", self._gap_tip),
            ("elapsed", "ELAPSED", "Time spent solving, pauses excluded"),
        ):
            self.headings[name].setText(title)
            self.values[name].setToolTip(plain_tip(tip))
        self.begin_run()

    @property
    def _unit(self) -> str:
        """In what the best cost is shown, in brackets, unless it has several words."""
        unit = "" if self._instance is None else self._instance.unit
        return f" ({unit})" if unit and " " not in unit else ""

    def begin_run(self) -> None:
        """Show dashes."""
        self._recent.clear()
        self._news.forget()
        self._earlier = self._newest = None
        self._head_places(racing=False)
        self._head_gap(None, optimal=False)
        for value in self.values.values():
            value.setText("–")

    def _head_places(self, *, racing: bool) -> None:
        """Head the numbers that a run and a race do not have in common."""
        words = display_of(self._instance).words
        heads = {
            "iteration": ("ITERATION", "Iterations finished"),
            "rate": (
                f"{words.solutions.upper()} / S",
                f"{words.solutions.capitalize()} built a second, over the last two seconds",
            ),
        }
        if racing:
            heads = {
                "iteration": ("AHEAD", f"The lane whose best {words.solution} is the best of all"),
                "rate": ("BY", f"How far the best {words.solution} of the next lane is behind"),
            }
        for name, (title, tip) in heads.items():
            self.headings[name].setText(title)
            self.values[name].setToolTip(plain_tip(tip))

    def _known(self, bound: LowerBound | None) -> KnownCosts:
        """What gaps are measured by."""
        return KnownCosts(None if self._instance is None else self._instance.optimum, bound)

    def _head_gap(self, bound: LowerBound | None, *, optimal: bool) -> None:
        """Head the gap by what it is measured by, and say why that is known."""
        heading, tip, by_bound = "GAP", self._gap_tip, self._known(bound).by_bound
        if bound is not None:
            why = display_of(self._instance).bound_tip(bound)
            tip = why if by_bound else f"{tip}. {why}"
            heading = "PROVED" if optimal else "GAP TO BOUND" if by_bound else heading
        elif self._earlier and not self._known(bound).reference:
            heading = "GAP TO YOUR BEST"
            tip = "How far the best lies above, or below, the best of your earlier runs"
        self.headings["gap"].setText(heading)
        self.values["gap"].setToolTip(plain_tip(tip))

    def show_elapsed(self, seconds: float) -> None:
        """Show the time of a run, which goes on while an iteration is under way."""
        self.values["elapsed"].setText(duration(seconds))

    def show_race(
        self, best: int | None, bound: LowerBound | None, lead: Lead | None, seconds: float
    ) -> None:
        """Show the best cost of all lanes of a race, who is ahead, and the time of the race.

        There is no ``best`` before a lane has found one, and no ``lead`` before all have.
        """
        self._head_places(racing=True)
        self.show_elapsed(seconds)
        if best is not None:
            self._show_best(best, bound)
        ahead, by = "–", "–"
        if lead is not None:
            words = display_of(self._instance).words
            ahead = f"lane {lead.first + 1}" if lead.alone else "level"
            by = words.excess(lead.next_cost, lead.cost) if lead.alone else "–"
        self.values["iteration"].setText(ahead)
        self.values["rate"].setText(by)

    def show_earlier(self, cost: int) -> None:
        """Measure gaps by the best of the user's earlier runs, where nothing better is known."""
        self._earlier = cost
        if self._newest is not None and self._newest.best_cost is not None:
            self._show_best(self._newest.best_cost, self._newest.bound)

    def show_snapshot(self, snapshot: RunState) -> None:
        """Show the numbers of ``snapshot``."""
        self._newest = snapshot
        self._recent.append((snapshot.elapsed, snapshot.solutions_built))
        while len(self._recent) > 2 and self._recent[1][0] < snapshot.elapsed - _RATE_OVER:
            self._recent.popleft()
        self.values["iteration"].setText(whole(snapshot.iteration))
        self.show_elapsed(snapshot.elapsed)
        if snapshot.best_cost is None:
            return
        self._show_best(snapshot.best_cost, snapshot.bound)
        since, tours = self._recent[0] if len(self._recent) > 1 else (0.0, 0)
        if snapshot.elapsed > since:
            rate = (snapshot.solutions_built - tours) / (snapshot.elapsed - since)
            self.values["rate"].setText(compact(rate))
        if self._news.worth(snapshot):
            announce(self, self.said)

    @property
    def said(self) -> str:
        """The numbers in words, for a screen reader."""
        told = ("best", "gap", "iteration")
        return ", ".join(
            f"{self.headings[name].text().lower()} {self.values[name].text()}" for name in told
        )

    def _show_best(self, cost: int, bound: LowerBound | None) -> None:
        unit = NO_UNIT if self._instance is None else self._instance.cost_unit
        self.values["best"].setText(unit.text(cost))
        optimal = bound is not None and bound.proves(cost)
        self._head_gap(bound, optimal=optimal)
        reference = self._known(bound).reference or self._earlier
        words = display_of(self._instance).words
        gap = words.gap(cost, reference) if reference else "–"
        self.values["gap"].setText("optimal" if optimal else gap)
