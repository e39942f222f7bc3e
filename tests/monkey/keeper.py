"""Sees to it that a run goes on most of the time, whatever was typed into the fields."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from app.window.application import Application
from gpu import catalog
from gpu.core.instance import Instance
from views.batch.comparison_view import ComparisonView
from views.batch.race_view import RaceView
from views.batch.study_view import StudyView
from views.setup.presets import Choices

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


OFTEN = 0.25  # share of the actions without a run that do something for one
OTHER = 0.6  # share of the starts before which another colony is chosen
RACES = 0.2  # share of the starts that are those of a race
RARER = 0.2  # share of the times without a run at which something rarer is done
NEW = 0.7  # that share while there is something among it that was not done yet
PATIENCE = 150  # actions after which a study or a measurement is ended
LIMITS: dict[str, float | int | None] = {"seconds": 15.0, "go_on": True}


class Keeper:
    """Opens an instance, chooses what can be run, and starts it, where the monkey has not."""

    def __init__(
        self, application: Application, chance: random.Random, paths: Sequence[Path], folder: Path
    ) -> None:
        self._application, self._random, self._paths = application, chance, paths
        self._rarer = Rarer(application, chance, folder)
        self._chosen: Counter[str] = Counter()  # how often each colony was
        self._waited = 0  # actions since a study or a measurement began
        self._refused = False  # whether the last start came to nothing

    def next(self) -> Action | None:
        """Return what brings a run about, or None where that is not wanted."""
        application, window = self._application, self._application.window
        if window.activity.goes_on:
            self._waited, self._refused = 0, False
            return None
        if application.runs.batch.busy:
            self._waited += 1
            if self._waited < PATIENCE:
                return None
            self._waited = 0
            return "end what is measured", [application.runs.batch.cancel]
        if application.runs.busy or self._random.random() > OFTEN:
            return None  # a run is being stopped, or shall be begun by the monkey itself
        if self._random.random() < (NEW if self._rarer.new else RARER):
            return self._rarer.next()
        instance = application.instance.value
        if instance is None or self._refused:
            self._refused = False
            path = self._random.choice(self._paths)
            return f"open {path.name} for a run", [lambda: window.open_requested.emit(path)]
        begin = window.actions_["start"]
        choose: list[Callable[[], object]] = []
        if window.setup.problem or self._random.random() < OTHER:
            choices = self._choices(instance)
            choose = [lambda: window.setup.set_choices(choices)]
        elif not begin.isEnabled():
            self._refused = True
        if self._random.random() < RACES:
            race = window.view(RaceView)
            show = window.actions_.views[RaceView.key].trigger
            add = race.form.add.click
            return "start a race", [*choose, show, add, *choose, add, show, show, begin.trigger]
        return "start a run", [*choose, begin.trigger]

    def _choices(self, instance: Instance) -> Choices:
        """Return choices with which a run can start, of a colony that was chosen seldom.

        So each has loaded its compiled code before memory is looked at for growth.
        """
        place = self._random.choice(["cpu", "cpu:1"])
        fitting = [
            one.name
            for one in catalog.CATALOG
            if place in one.builders and one.problem is instance.problem
        ]
        least = min(self._chosen[name] for name in fitting)
        name = self._random.choice([one for one in fitting if self._chosen[one] == least])
        self._chosen[name] += 1
        return Choices(place, name, {}, self._random.randrange(1000), LIMITS)
