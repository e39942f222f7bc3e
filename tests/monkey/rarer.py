"""What makes commands possible that hardly any random click reaches."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from app.window.application import Application
from views.measure.comparison_view import ComparisonView
from views.study.study_view import StudyView

Action = tuple[str, list[Callable[[], object]]]  # in words, and its deeds one after the other

PLACES = 30  # on the globe
TITLE = "Two ways of a few ants"
STUDY = f"""
title = "{TITLE}"
instances = ["ring-50"]
seeds = {{ first = 1, count = 2 }}

[budget]
iterations = 20
go_on = true

[[colony]]
colony = "acs-seq"
device = "cpu:1"
parameters = {{ ants = 4 }}

[[colony]]
colony = "mmas-seq"
device = "cpu:1"
parameters = {{ ants = 4 }}
"""


class Rarer:
    """Improves a tour, measures, opens places on the globe, and does a small study."""

    def __init__(self, application: Application, chance: random.Random, folder: Path) -> None:
        self._application, self._random = application, chance
        self._done: Counter[str] = Counter()  # how often each was
        self._globe, self._design = folder / "globe.tsp", folder / "few-ants.toml"
        self._globe.write_text(_globe(chance), "ascii")
        self._design.write_text(STUDY, "utf-8")

    @property
    def new(self) -> bool:
        """Whether something is possible now that was not done yet."""
        return any(not self._done[name] for name, _ in self._possible())

    def next(self) -> Action:
        """Return one of those that are possible now and were done seldom."""
        possible = self._possible()
        least = min(self._done[name] for name, _ in possible)
        chosen = self._random.choice([one for one in possible if self._done[one[0]] == least])
        self._done[chosen[0]] += 1
        return chosen

    def _possible(self) -> list[Action]:
        application, window = self._application, self._application.window
        view, measurements = window.view(StudyView), application.measurements
        possible: list[Action] = [
            (name, [window.actions_[name].trigger])
            for name in ("improve", "improve-given")
            if window.actions_[name].isEnabled()
        ]
        if application.instance.value is not None:
            show = window.actions_.views[ComparisonView.key].trigger
            possible += [
                ("measure speedups", [lambda: measurements.speedups(thorough=False)]),
                ("compare colonies", [show, measurements.compare]),
            ]
        possible.append(("open the globe", [lambda: window.open_requested.emit(self._globe)]))
        if view.exports["study"] and view.form.title.text() == TITLE:
            possible.append(("start the small study", [view.start.click]))
        else:
            possible.append(
                ("open the small study", [lambda: window.open_requested.emit(self._design)])
            )
        return possible


def _globe(chance: random.Random) -> str:
    """Return places on the globe as a TSPLIB file."""
    head = ["NAME: globe", "TYPE: TSP", f"DIMENSION: {PLACES}", "EDGE_WEIGHT_TYPE: GEO"]
    places = [
        f"{place} {chance.uniform(-60, 60):.2f} {chance.uniform(-170, 170):.2f}"
        for place in range(1, PLACES + 1)
    ]
    return "\n".join([*head, "NODE_COORD_SECTION", *places, "EOF", ""])
