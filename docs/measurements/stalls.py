"""Measure the longest stalls of the window: many cities, many runs, races.

    python docs/measurements/stalls.py million FILE [--seconds 30]
    python docs/measurements/stalls.py tour FILE [--seconds 30]
    python docs/measurements/stalls.py strip FILE [--seconds 30]
    python docs/measurements/stalls.py race FILE [--seconds 30]
    python docs/measurements/stalls.py sizes FILE [--seconds 30]
    python docs/measurements/stalls.py ants FILE [--seconds 30]
    python docs/measurements/stalls.py memory FILE [--seconds 5]

Each opens the real window (offscreen unless QT_QPA_PLATFORM says otherwise) in a folder of its own,
does what a user would do, and prints a line for each part of that: the longest time without a pause
that the window's thread worked (its processor time, which other programs change little), the
longest time in which it did not answer, and where it worked longest.

million: opens FILE, starts `focused-cores`, zooms and drags the map and points at it while it
solves; how many pictures of the map a second there are, and the memory of the process, too.
tour: opens FILE and shows a tour that goes up and down in strips, without a colony, which would
take long for ten million cities; zooms, drags and points, then lists its stops.
strip: the same as `million` with the strip of the trails in sight, then moves through the past of
the run.
race: has 50 short runs in the list of runs, sorts and filters it, then races twelve lanes at once.
sizes: gives the window another size, again and again, while `acs-spm` works.
ants: 256 ants of `mmas` walk on FILE, one iteration after the other, alone and while the colony
goes on by itself; how many pictures of the map a second there are, too.
memory: runs three times, then opens another instance: what each run leaves in memory.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parents[2]))  # its hands and eyes are those of the tests

import numpy as np
from made import commit_here, how, sentence
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from app.notifications import Notifications
from app.window.application import Application
from app.window.event_loop import StallMeter
from app.window.qt_application import qt_application
from gpu.core.machine import devices
from gpu.core.snapshot import RunState
from gpu.problems.bundled import bundled
from gpu.problems.loading import load_instance
from gpu.problems.tsp.instance import TspInstance
from gpu.races.race import LANES_MOST
from gpu.run.log.names import default_log_path
from gpu.run.log.recorder import Recorder
from gpu.run.run import Run
from gpu.run.session import choose, new_session
from gpu.run.stopping import StopSettings
from tests.hands import NONE, click, press, rest, scroll, write
from tests.monkey.monkey import memory
from tests.monkey.watcher import Watcher
from views.batch.race_view import RaceView
from views.frame.activity import Activity
from views.plots.pheromone_view import PheromoneView
from views.runs.runs_view import RunsView
from views.setup.presets import Choices
from views.tour.stops_view import StopsView
from views.tour.tour_view import TourView

RUNS, LANES, WALKERS = 50, LANES_MOST, 256
PATIENCE = 3600.0  # seconds for a colony to be built, a file to be read and the like
HAND = 16  # milliseconds between two movements of a hand


class Pictures(QObject):
    """Counts the pictures that a canvas shows."""

    def __init__(self, canvas: QWidget) -> None:
        super().__init__(canvas)
        canvas.installEventFilter(self)
        self.count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Count one."""
        self.count += event.type() == QEvent.Type.Paint
        return super().eventFilter(watched, event)


class Window(NamedTuple):
    """A window, and what measures it."""

    application: Application
    meter: StallMeter
    watcher: Watcher

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Measure what is done meanwhile."""
        self.meter.start()
        self.watcher.begin()
        begun, worked = time.perf_counter(), time.thread_time()
        yield
        rest(HAND)
        self.meter.stop()
        spent, work = time.perf_counter() - begun, time.thread_time() - worked
        print(
            f"| {name} | {spent:.1f} | {100 * work / spent:.0f} | {1e3 * self.meter.most_work:.0f} "
            f"| {1e3 * self.meter.longest:.0f} | {100 * self.meter.share_above(0.05):.2f} |",
            flush=True,
        )
        for place in self.watcher.places:
            print(f"    {place}")

    def wait_for(self, what: Callable[[], object]) -> None:
        """Wait until something is so."""
        end = time.monotonic() + PATIENCE
        while not what():
            assert time.monotonic() < end, "it took too long"
            rest(HAND)

    def open(self, path: Path) -> None:
        """Open an instance, and wait until it is in sight."""
        application = self.application
        application.window.open_requested.emit(path)
        self.wait_for(
            lambda: (
                application.instance.value is not None
                and application.instance.value.path == path
                and application.window.setup.colony.device is not None
                and not application.window.pages.shows_gallery
            )
        )

    def begin(self, colony: str, seconds: float, device: str = "cpu") -> None:
        """Choose a colony and a limit, and start a run."""
        self.choose(colony, seconds, device)
        former, runs = self.application.runs.current, self.application.runs
        self.application.run_controller.start()
        self.wait_for(lambda: runs.current not in (None, former))
        run = runs.current
        assert run is not None
        self.wait_for(lambda: run.latest.iteration > 0 or run.outcome is not None)

    def choose(
        self, colony: str, seconds: float, device: str, seed: int = 1, **parameters: int
    ) -> None:
        """Choose what a run is made with."""
        limits: dict[str, float | int | None] = {"seconds": seconds, "go_on": True}
        place, system = choose(colony, device)
        choices = Choices(place.name, system.name, parameters, seed, limits)
        assert not self.application.window.setup.set_choices(choices)
        rest(HAND)  # nobody chooses and clicks at once

    def wait_for_end(self) -> None:
        """Wait until nothing runs."""
        self.wait_for(lambda: self.application.window.activity is Activity.IDLE)

    def use(self, canvas: QWidget, seconds: float, *, drags: bool = True) -> None:
        """Zoom in and out with the wheel, and drag in between."""
        left, end, count = Qt.MouseButton.LeftButton, time.perf_counter() + seconds, 0
        while time.perf_counter() < end:
            turn, step = divmod(count, 40)
            middle = canvas.rect().center()
            place = middle + QPoint(4 * min(step, 40 - step), 3 * min(step, 40 - step))
            if turn % 2 == 0 or not drags:
                scroll(canvas, 120 if turn % 4 < 2 else -120)
            elif step == 0:
                QTest.mousePress(canvas, left, NONE, middle)
            elif step == 39:
                QTest.mouseRelease(canvas, left, NONE, place)
            else:
                QTest.mouseMove(canvas, place)
            count += 1
            rest(HAND)
        QTest.mouseRelease(canvas, left, NONE, canvas.rect().center())

    def point(self, canvas: QWidget, seconds: float) -> None:
        """Move the mouse over the canvas, with no button pressed."""
        end, random = time.perf_counter() + seconds, Random(1)
        while time.perf_counter() < end:
            at = QPoint(random.randrange(canvas.width()), random.randrange(canvas.height()))
            for step in range(20):  # some movements, then a rest
                QTest.mouseMove(canvas, at + QPoint(step, step // 2))
                rest(HAND)
            rest(20 * HAND)


def million(window: Window, path: Path, seconds: float) -> None:
    """Open many cities, and move the map while they are solved."""
    canvas = window.application.window.view(TourView).graphics.viewport()
    pictures = Pictures(canvas)

    def use(when: str) -> None:
        with window.part(f"zoom and drag, {when}"):
            pictures.count = 0
            window.use(canvas, seconds)
        print(f"    {pictures.count / seconds:.0f} pictures/s, {memory():.0f} MB", flush=True)
        with window.part(f"point at cities and edges, {when}"):
            window.point(canvas, seconds)

    with window.part("open the file"):
        window.open(path)
    use("no run")
    with window.part("build the colony"):
        window.begin("focused", 6 * seconds)
    with window.part("watch the run"):
        rest(round(500 * seconds))
    use("during the run")
    with window.part("stop"):
        window.application.run_controller.stop()
        window.wait_for_end()
    print(f"    {memory():.0f} MB", flush=True)


def strips(places: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return a tour that goes up one strip of the map and down the next."""
    x, y = places.T
    strip = ((x - x.min()) / max(np.ptp(x), 1e-9) * math.sqrt(len(x) / 3)).astype(np.int64)
    return np.lexsort((np.where(strip % 2, -y, y), strip)).astype(np.int32)


def tour(window: Window, path: Path, seconds: float) -> None:
    """Show a tour of many cities as if a run had found it."""
    main = window.application.window
    view, stops = main.view(TourView), main.view(StopsView)
    canvas = view.graphics.viewport()
    pictures = Pictures(canvas)
    window.open(path)
    instance = window.application.instance.value
    assert isinstance(instance, TspInstance)
    found = strips(instance.display)
    length = instance.tour_length(found)

    def show(tour: NDArray[np.int32]) -> None:
        main.show_snapshot(RunState(1, 1, length, 1, length, 1.0, best_solution=tour))
        rest(10 * HAND)
        window.wait_for(lambda: all(layer.ready for layer in view.layers.values()))

    with window.part("draw the tour"):
        show(found)
    other = np.roll(found, 1)
    with window.part("draw another one"):
        show(other)
    with window.part("zoom and drag"):
        pictures.count = 0
        window.use(canvas, seconds)
    print(f"    {pictures.count / seconds:.0f} pictures/s, {memory():.0f} MB", flush=True)
    with window.part("point at cities and edges"):
        window.point(canvas, seconds)
    with window.part("list its stops"):
        main.dashboard.show_view(StopsView.key)
        window.wait_for(lambda: stops.table.stops is not None)
        rest(10 * HAND)
    print(f"    {memory():.0f} MB", flush=True)


def strip(window: Window, path: Path, seconds: float) -> None:
    """Show the trails of many cities, and move through the past of a run."""
    main = window.application.window
    pheromone = main.view(PheromoneView)
    window.open(path)
    with window.part("show the view"):
        main.dashboard.show_view("pheromone")
        rest(500)
    with window.part("build the colony"):
        window.begin("mmas", seconds)
    with window.part("strip in sight during the run"):
        rest(round(400 * seconds))
    with window.part("zoom the strip during the run"):
        window.use(pheromone.table.widget.viewport(), 0.4 * seconds, drags=False)
    window.wait_for_end()
    with window.part("after the end"):
        rest(2000)
    slider = main.dashboard.replay.slider
    with window.part("drag the slider through the past"):
        for step in range(100):
            slider.setValue(slider.maximum() * abs(50 - step) // 50)
            rest(2 * HAND)
        rest(1000)
    with window.part("play the past"):
        main.actions_["past-play"].trigger()
        rest(6000)
    main.actions_["past-live"].trigger()


def race(window: Window, path: Path, seconds: float) -> None:
    """Use a list of many runs, then race."""
    main = window.application.window
    instance = load_instance(next(one.path for one in bundled() if one.name == "ring-50"))
    for seed in range(RUNS):
        session = new_session(
            instance,
            colony="acs",
            device="cpu:1",
            parameters={},
            seed=seed,
            stop=StopSettings(iterations=50, go_on=True),
        )
        run = Run(
            instance, session, 0, Recorder(default_log_path(session), session, instance, print)
        )
        run.build()
        while run.outcome is None:
            run.advance()
        run.close()
    window.open(path)
    runs = main.view(RunsView)
    with window.part(f"list of {RUNS} runs"):
        main.dashboard.show_view("runs")
        window.wait_for(lambda: runs.model.rowCount() == RUNS)
        rest(500)
    with window.part("sort, walk and select in it"):
        for column in range(8):
            runs.table.sortByColumn(column, Qt.SortOrder.AscendingOrder)
            rest(60)
        for key in 40 * [Qt.Key.Key_Down]:
            press(runs.table, key)
            rest(HAND)
        press(runs.table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        rest(1500)
    view = main.view(RaceView)
    main.dashboard.show_view("race")
    with window.part(f"set up {LANES} lanes"):
        for seed in range(LANES):
            window.choose("mmas", seconds, "cpu:1", seed)
            click(view.form.add)
            window.wait_for(partial(_has_lanes, view, seed + 1))
        rest(HAND)
        write(view.form.amount.entry, f"{seconds:g}")
        click(view.form.mode.buttons["together"])
    with window.part("build the lanes"):
        main.race.start.emit()
        window.wait_for(lambda: main.activity is Activity.RUNNING)
    with window.part(f"race of {LANES} lanes"):
        rest(round(500 * seconds))
    with window.part("race, and the list of runs in sight"):
        main.dashboard.show_view("runs")
        rest(round(400 * seconds))
    with window.part("end of the race"):
        window.wait_for_end()
        rest(1000)


def _has_lanes(view: RaceView, number: int) -> bool:
    return view.lanes == number


def sizes(window: Window, path: Path, seconds: float) -> None:
    """Give the window other sizes during a run."""
    main, random = window.application.window, Random(1)
    window.open(path)
    window.begin("acs-spm", 2 * seconds)
    with window.part("another size, four times a second"):
        for _ in range(round(4 * seconds)):
            main.resize(random.randint(1000, 1920), random.randint(700, 1200))
            rest(250)
    window.application.run_controller.stop()
    window.wait_for_end()


def ants(window: Window, path: Path, seconds: float) -> None:
    """Let many ants walk."""
    application = window.application
    view = application.window.view(TourView)
    canvas, bar = view.graphics.viewport(), view.walking.bar
    pictures = Pictures(canvas)
    window.open(path)
    window.choose("mmas", 1e4, "cpu:1", ants=WALKERS)
    click(view.chips["walk"])

    def walk(when: str) -> None:
        window.wait_for(lambda: bar.plays)
        assert bar.ants.value() == WALKERS
        spent = played = 0.0
        with window.part(f"{WALKERS} ants walk, {when}"):
            pictures.count, begun, last = 0, time.thread_time(), time.perf_counter()
            while played < seconds:
                rest(HAND)
                now = time.perf_counter()
                played, last = played + (now - last) * bar.plays, now
            spent = time.thread_time() - begun
        print(
            f"    {pictures.count / played:.1f} pictures/s, "
            f"{1e3 * spent / pictures.count:.1f} ms of the processor a picture",
            flush=True,
        )

    application.run_controller.step()
    walk("run paused")
    application.run_controller.resume()
    walk("run goes on")
    application.run_controller.stop()
    window.wait_for_end()


def leave(window: Window, path: Path, seconds: float) -> None:
    """Print what runs leave in memory."""
    window.open(path)

    def look(when: str) -> None:
        rest(1500)
        print(f"| {when} | {memory():.0f} |", flush=True)

    look("instance open")
    for colony in ("mmas", "focused", "mmas"):
        window.begin(colony, seconds)
        window.wait_for_end()
        look(f"after a run of {colony}")
    window.open(next(one.path for one in bundled() if one.name == "ring-50"))
    look("another instance open")


TITLES = (
    "| part | seconds | % of a core | longest work, ms | longest stall, ms | % above 50 ms |\n"
    "| --- | ---: | ---: | ---: | ---: | ---: |",
    "| when | MB |\n| --- | ---: |",
)

DEEDS = {
    "million": million,
    "tour": tour,
    "strip": strip,
    "race": race,
    "sizes": sizes,
    "ants": ants,
    "memory": leave,
}


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=DEEDS)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seconds", type=float, default=30.0)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="formicarium-stalls-") as place:
        for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            os.environ[name] = place
        qt_application()
        with Notifications() as notifications:
            notifications.listeners.append(lambda said: print(f"    told: {said}", flush=True))
            application = Application(notifications, Path(place) / "window.json")
            application.window.resize(1280, 800)
            application.window.show()
            rest(1500)
            meter = StallMeter()
            watcher = Watcher(meter)
            watcher.start()
            words = f"stalls.py {chosen.what} {chosen.file.name} --seconds {chosen.seconds:g}"
            made = how(chosen.what, commit_here(), devices.find("cpu"), words)
            print(f"Made {sentence([made])}")
            print(TITLES[chosen.what == "memory"], flush=True)
            try:
                DEEDS[chosen.what](
                    Window(application, meter, watcher), chosen.file.absolute(), chosen.seconds
                )
            finally:
                watcher.end()
                application.close()


if __name__ == "__main__":
    main()
