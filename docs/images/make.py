"""Make pictures of README and the user guide anew, in the real window, on this machine's CPU.

Without NAMEs (``--help`` lists them), all are made. Run it from the checkout, after a change of the
window that they show. It needs some minutes, and for window-coloring the graph le450_15a, which
``formicarium download le450_15a`` fetches. The plots of docs/gaps-cores.md, docs/gaps-gpu.md and
docs/colorings.md are made with these pages, by docs/measurements/report.py; reproduce.png is a part
of the page that ``formicarium reproduce 2016/table-3 --page`` writes.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage, QPainter, QPen
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.files.library import find_path
from app.files.scripts import example
from app.notifications import Notifications
from app.report.export import export_plots
from app.report.plot import PlotLook
from app.window.application import Application
from app.window.qt_application import qt_application
from gpu.problems.bundled import bundled
from gpu.problems.reading import ReadAs
from gpu.studies.results.analysis import analyse
from gpu.studies.store import read_results
from tests.hands import click, press, press_stop, rest, write
from views.batch.race_view import RaceView
from views.batch.study_view import StudyView
from views.decision.decision_view import DecisionView
from views.graph.classes_view import ClassesView
from views.plots.convergence_view import ConvergenceView
from views.runs.run_table import RUN_PLACES
from views.runs.runs_view import RunsView
from views.tour.stops_view import StopsView
from views.tour.tour_view import TourView

CONTROL = Qt.KeyboardModifier.ControlModifier
HERE = Path(__file__).resolve().parent
COURSES = (
    *("Algebra", "Biology", "Chemistry", "Drama", "Economics", "French", "Geography", "History"),
    *("Italian", "Japanese", "Latin", "Music", "Physics", "Spanish", "Statistics"),
)
PATIENCE = 900.0  # seconds: colonies may have to be compiled

CAPITALS = """name;latitude;longitude
Amsterdam;52,37;4,90
Athens;37,98;23,73
Berlin;52,52;13,41
Bern;46,95;7,45
Brussels;50,85;4,35
Bucharest;44,43;26,10
Budapest;47,50;19,04
Copenhagen;55,68;12,57
Dublin;53,35;-6,26
Helsinki;60,17;24,94
Lisbon;38,72;-9,14
Ljubljana;46,06;14,51
London;51,51;-0,13
Luxembourg;49,61;6,13
Madrid;40,42;-3,70
Oslo;59,91;10,75
Paris;48,86;2,35
Prague;50,08;14,44
Riga;56,95;24,11
Rome;41,90;12,50
Sofia;42,70;23,32
Stockholm;59,33;18,07
Tallinn;59,44;24,75
Vienna;48,21;16,37
Vilnius;54,69;25,28
Warsaw;52,23;21,01
Zagreb;45,81;15,98
"""


class Desk:
    """The window in a folder of its own, and somebody who works with it."""

    def __init__(self, notifications: Notifications, folder: Path) -> None:
        self.folder = folder
        self.app = Application(
            notifications,
            folder / "window.json",
        )
        self.window = self.app.window
        self.window.resize(1280, 800)
        self.window.show()
        self.window.theme_choice.choose("dark")
        self.until(lambda: self.window.setup.colony.device is not None)

    def until(self, reached: Callable[[], object]) -> None:
        """Wait for something."""
        end = time.monotonic() + PATIENCE
        while not reached():
            if time.monotonic() > end:
                raise TimeoutError("the window has not come so far")
            rest(20)

    def settle(self) -> None:
        """Wait until everything is drawn."""
        rest(1500)  # what works in the background may be compiling, for minutes
        self.window.dashboard.queue.finish()
        rest(100)

    def open(self, where: str | Path) -> None:
        """Open a file, or a bundled instance by its name."""
        paths = {one.name: one.path for one in bundled()}
        with_it: list[object] = []
        self.app.files.ready.connect(
            lambda: with_it.append(True), Qt.ConnectionType.SingleShotConnection
        )
        self.app.files.open(paths.get(str(where), Path(where)))
        self.until(lambda: with_it or self.sheet_is_ready())
        if not with_it and (sheet := self.app.importing.sheet) is not None:
            click(sheet.open_button)
        self.until(lambda: with_it)
        self.window.activateWindow()  # without a desktop nobody does so once the sheet is closed

    def sheet_is_ready(self) -> bool:
        """Whether a file is shown that does not say all itself, and can be opened."""
        sheet = self.app.importing.sheet
        return sheet is not None and sheet.open_button.isEnabled()

    def choose(
        self,
        colony: str,
        stop: Mapping[str, float],
        device: str = "cpu:1",
        parameters: Mapping[str, object] | None = None,
    ) -> None:
        """Choose colony, device and limits; the best known cost ends nothing."""
        setup = self.window.setup
        devices = setup.colony.devices
        devices.setCurrentIndex(devices.findData(device))
        devices.activated.emit(devices.currentIndex())
        choices = dataclasses.replace(setup.choices(), colony=colony, parameters=parameters or {})
        setup.set_choices(choices)
        setup.stop.set_values({**stop, "go_on": True})
        rest(50)

    def run(self, seed: int = 1) -> None:
        """Run to the end."""
        write(self.window.setup.seed_field.entry, str(seed))
        ended: list[object] = []
        self.app.runs.ended.connect(
            lambda *_: ended.append(True), Qt.ConnectionType.SingleShotConnection
        )
        press(self.window, Qt.Key.Key_Space)
        self.until(lambda: ended)
        self.settle()

    def keep(self, name: str) -> None:
        """Write a picture of the window."""
        self.settle()
        self.window.banner.clear()
        self.settle()  # what stood beside the message has its whole width again
        self.window.grab().save(str(HERE / f"{name}.png"))


def tour(desk: Desk) -> None:
    """A colony with a selective memory on all cores."""
    desk.window.resize(1600, 1000)
    desk.open("map-1000")
    desk.choose("acs-cores-spm", {"iterations": 180}, "cpu", {"ants": "256", "update_period": "4"})
    desk.run()
    desk.keep("window-dark")


def coloring(desk: Desk) -> None:
    """A graph, class by class."""
    desk.window.resize(1440, 900)
    desk.open(find_path("le450_15a"))
    desk.choose("aco-rlf-seq", {"iterations": 130}, parameters={"reward": 300.0})
    desk.run()
    desk.keep("window-coloring")


def runs(desk: Desk) -> None:
    """Runs of three configurations, selected; two have names."""
    desk.open("grid-100")
    for colony, parameters, seeds in (
        ("acs-seq", {"ants": "20"}, (1, 2, 3, 4)),
        ("mmas-seq", {"ants": "20"}, (1, 2, 3, 4)),
        ("acs-seq", {"ants": "20", "beta": "5"}, (5,)),
    ):
        for seed in seeds:
            desk.choose(colony, {"iterations": 250}, parameters=parameters)
            desk.run(seed)
    press(desk.window, Qt.Key.Key_L, CONTROL)
    view = desk.window.view(RunsView)
    desk.until(lambda: len(view.model.all) == 9)
    desk.settle()
    for row, text in ((0, "greedier ants"), (4, "reference")):
        view.table.setCurrentIndex(view.model.index(row, RUN_PLACES["Name"]))
        press(view.table, Qt.Key.Key_F2)
        entry = QApplication.focusWidget()
        assert entry is not None
        QTest.keyClicks(entry, text)
        press(entry, Qt.Key.Key_Return)
        desk.settle()
    view.table.setCurrentIndex(view.model.index(4, RUN_PLACES["Instance"]))
    press(view.table, Qt.Key.Key_S)
    view.table.selectAll()
    view.table.horizontalScrollBar().setValue(0)
    convergence = desk.window.view(ConvergenceView)
    desk.until(convergence.overlays.isVisible)
    desk.keep("runs")


def study(desk: Desk) -> None:
    """Four configurations on two instances, with their results; the plots of the report's page."""
    design = desk.folder / "ants.toml"
    design.write_text(
        'title = "How many ants?"\n'
        'instances = ["grid-100", "uniform-100"]\n'
        "seeds = { first = 1, count = 8 }\n"
        "budget = { iterations = 100, go_on = true }\n"
        '[[colony]]\nlabel = "ACS"\ncolony = "acs-seq"\ndevice = "cpu:1"\n'
        "parameters = { ants = [5, 10, 20] }\n"
        '[[colony]]\nlabel = "AS"\ncolony = "as-seq"\ndevice = "cpu:1"\n'
        "parameters = { ants = 5 }\n"
    )
    desk.open("grid-100")
    desk.choose("acs-seq", {"seconds": 60})
    press(desk.window, Qt.Key.Key_U, CONTROL)
    view = desk.window.view(StudyView)
    desk.app.files.open(design)
    desk.until(lambda: view.form.rows and view.start.isEnabled())
    results = desk.folder / "ants.sqlite"
    write(view.form.results_entry, str(results))
    desk.until(view.start.isEnabled)
    click(view.start)
    desk.until(lambda: desk.app.runs.batch.busy)
    desk.until(lambda: not desk.app.runs.batch.busy)
    desk.until(lambda: len(view.results.table.content.rows) == 8)
    desk.settle()
    view.show_page("results")
    choice = view.results.choice
    desk.until(lambda: choice.instance.findText("grid-100") >= 0)
    for box, text in ((choice.instance, "grid-100"), (choice.kind, "Result of every run")):
        box.setCurrentIndex(box.findText(text))
        box.activated.emit(box.currentIndex())
    desk.until(lambda: "Each dot" in view.results.text)
    rest(5000)  # it is drawn anew, with the last results, in the size of its place
    desk.keep("study")
    _plots(results)


def _plots(results: Path) -> None:
    """Write two plots as ``formicarium report --plots --size 14x7.5`` does."""
    with tempfile.TemporaryDirectory() as folder:
        export_plots(
            Path(folder), analyse(read_results(results)), PlotLook(14.0, 7.5), forms=("png",)
        )
        for name, kept in (("results", "results"), ("convergence-iterations", "convergence")):
            picture = Path(folder) / f"{name}-grid-100.png"
            picture.replace(HERE / f"report-{kept}.png")


def files(desk: Desk) -> None:
    """A table of places, and a tour that was opened beside the best one."""
    places, tour = desk.folder / "capitals.csv", desk.folder / "capitals.tour"
    places.write_text(CAPITALS, "utf-8")
    cities = CAPITALS.count("\n") - 1
    order = "\n".join(map(str, range(1, cities + 1)))
    tour.write_text(
        f"NAME : capitals\nTYPE : TOUR\nDIMENSION : {cities}\nTOUR_SECTION\n{order}\n-1\nEOF\n"
    )
    desk.open(places)
    desk.choose("acs-seq", {"iterations": 3})
    desk.run()
    desk.app.files.open(tour)
    desk.until(lambda: tour.name in desk.window.banner.text)
    desk.keep("guide-files")


def route(desk: Desk) -> None:
    """An open route from the depot, by a matrix of minutes."""
    matrix = desk.folder / "minutes.csv"
    places = [one.split(";") for one in CAPITALS.splitlines()[1:13]]
    at = [[float(one.replace(",", ".")) for one in row[1:]] for row in places]
    names = ["Depot", *(row[0] for row in places[1:])]
    rows = [
        [9.5 * math.dist(one, other) * (1.0 + 0.04 * (b % 5)) for b, other in enumerate(at)]
        for one in at
    ]
    lines = [";".join(("", *names))]
    lines += [
        ";".join((name, *(f"{minutes:.1f}".replace(".", ",") for minutes in row)))
        for name, row in zip(names, rows, strict=True)
    ]
    matrix.write_text("\n".join(lines) + "\n", "utf-8")
    desk.app.files.open(matrix, "matrix unit=min")
    desk.until(lambda: desk.app.instance.value is not None)
    desk.settle()
    desk.app.routes.want(ReadAs(route_from="Depot", route="open"))
    desk.until(lambda: desk.app.routes.wanted.asks_for_route)
    desk.settle()
    desk.window.dashboard.show_view(StopsView.key)
    desk.window.setup.stop.set_values({"iterations": 300, "go_on": True})
    desk.run()
    desk.keep("guide-stops")


def classes(desk: Desk) -> None:
    """Courses by the pairs that cannot be at once, and the slot of each."""
    table, rng = desk.folder / "conflicts.csv", random.Random(5)
    courses = [f"{name} {year}" for name in COURSES for year in ("I", "II")]
    pairs = {tuple(sorted(rng.sample(courses, 2))) for _ in range(120)}
    rows = "".join(f"{one},{other}\n" for one, other in sorted(pairs))
    table.write_text(f"course,conflicts with\n{rows}", "utf-8")
    desk.open(table)
    desk.choose("aco-rlf-seq", {"iterations": 20})
    desk.run()
    desk.window.dashboard.show_view(ClassesView.key)
    desk.keep("guide-classes")


def watch(desk: Desk) -> None:
    """Ants of an early iteration on their way."""
    desk.open("uniform-100")
    desk.choose("mmas-seq", {"iterations": 12}, "cpu:1", {"ants": "20"})
    desk.run()
    view = desk.window.view(TourView)
    click(view.chips["walk"])
    view.walking.bar.stop()
    view.walking.bar.slider.setValue(3_540)  # of 100 places a step
    desk.keep("guide-watch")


def film(desk: Desk) -> None:
    """A run as it was after two thirds of its time."""
    desk.open("map-1000")
    desk.choose("acs-cores-spm", {"iterations": 70}, "cpu", {"ants": "64"})
    desk.run()
    bar = desk.window.dashboard.replay
    bar.moved.emit(bar.moments.length * 2 / 3)
    desk.keep("guide-film")


def live(desk: Desk) -> None:
    """A parameter, and then the cities, are changed while a colony works."""
    desk.open("uniform-100")
    desk.choose("acs-seq", {"iterations": 10**6})
    press(desk.window, Qt.Key.Key_Space)
    view = desk.window.view(TourView)

    def work(iterations: int) -> None:
        run = desk.app.runs.current
        end = iterations + (run.latest.iteration if run and run.latest else 0)
        desk.until(lambda: run and run.latest and run.latest.iteration > end)

    desk.until(lambda: desk.app.runs.current and desk.app.runs.current.snapshot)
    work(100)
    field = desk.window.setup.parameters.fields["beta"].entry
    write(field, "6")
    press(field, Qt.Key.Key_Return)
    work(100)
    click(view.edit_button)
    low, high = view.editing.places.min(axis=0), view.editing.places.max(axis=0)
    for right, up in ((0.63, 0.3), (0.68, 0.27), (0.73, 0.25), (0.7, 0.33)):
        x, y = low + (high - low) * (right, up)
        place = view.graphics.mapFromScene(view.box.mapViewToScene(QPointF(x, y)))
        QTest.mouseClick(view.graphics.viewport(), Qt.MouseButton.LeftButton, pos=place)
        work(30)
    work(100)
    desk.window.dashboard.queue.finish()
    desk.window.grab().save(str(HERE / "guide-live.png"))
    press(desk.window, Qt.Key.Key_Escape)
    desk.until(lambda: desk.app.runs.active is None)


def race(desk: Desk) -> None:
    """Three families, one after the other."""
    desk.window.resize(1280, 960)
    desk.open("uniform-100")
    press(desk.window, Qt.Key.Key_R, CONTROL)
    view, model = desk.window.view(RaceView), desk.app.runs.race

    def add(colony: str) -> None:
        before = view.lanes
        desk.choose(colony, {"seconds": 60})
        click(view.form.add)
        desk.until(lambda: view.lanes > before)

    for colony in ("acs-seq", "mmas-seq", "crossing-seq"):
        add(colony)
    write(view.form.amount.entry, "5")
    press(desk.window, Qt.Key.Key_M)  # its pane alone
    desk.settle()
    press(desk.window, Qt.Key.Key_Space)
    desk.until(lambda: model.busy)
    desk.until(lambda: not model.busy)
    desk.settle()
    desk.window.grab().save(str(HERE / "race.png"))  # with what its end says


def begin(desk: Desk) -> None:
    """The gallery, with the best tours of three runs."""
    for name in ("uniform-100", "clustered-500", "map-1000"):
        desk.open(name)
        desk.choose("crossing-cores", {"iterations": 10}, "cpu")
        desk.run()
    desk.window.resize(1280, 1010)
    press(desk.window, Qt.Key.Key_G, CONTROL)
    desk.until(lambda: desk.window.pages.shows_gallery)
    rest(3000)  # tiles are drawn one after the other
    desk.keep("guide-begin")


def decisions(desk: Desk) -> None:
    """An ant in the midst of its tour."""
    desk.open("uniform-100")
    desk.choose("acs-seq", {"iterations": 30}, parameters={"ants": "20"})
    desk.run()
    view = desk.window.view(DecisionView)
    desk.window.dashboard.show_view(DecisionView.key)
    desk.until(lambda: view.controls.step.maximum() > 41)
    view.controls.step.setValue(41)
    desk.until(lambda: view.decision is not None and view.decision.number == 41)
    desk.keep("guide-decisions")


def draw(desk: Desk) -> None:
    """An ant, painted and traced into cities, of which some are selected."""
    picture = QImage(900, 640, QImage.Format.Format_RGB32)
    picture.fill(Qt.GlobalColor.white)
    with QPainter(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(Qt.GlobalColor.black, 9, c=Qt.PenCapStyle.RoundCap))
        for line in _LEGS_AND_FEELERS:
            painter.drawPolyline([QPointF(x, y) for x, y in line])
        painter.setBrush(Qt.GlobalColor.black)
        for x, y, across, up in ((190, 320, 100, 85), (395, 320, 75, 52), (650, 320, 165, 105)):
            painter.drawEllipse(QPointF(x, y), across, up)
    file = desk.folder / "ant.png"
    picture.save(str(file))
    press(desk.window, Qt.Key.Key_D, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    board = desk.app.drawing.board
    assert board is not None
    board.resize(980, 660)
    board.trace.cities.setValue(2500)
    write(board.name, "ant")
    desk.app.drawing.trace(file)
    desk.until(lambda: len(board.drawing.points) == 2500)
    points = board.drawing.points
    board.drawing.select((points[:, 0] < np.quantile(points[:, 0], 0.25)).nonzero()[0])
    rest(500)
    board.grab().save(str(HERE / "guide-draw.png"))
    board.drawing.note_saved()
    board.reject()


_LEGS_AND_FEELERS = (
    *(((360, 290), (290, 160), (220, 40)), ((395, 280), (390, 150), (330, 20))),
    *(((430, 290), (480, 160), (560, 40)), ((360, 350), (290, 480), (220, 600))),
    *(((395, 360), (390, 490), (330, 620)), ((430, 350), (480, 480), (560, 600))),
    *(((130, 260), (80, 190), (20, 150)), ((130, 380), (80, 450), (20, 490))),
)


def pictures(desk: Desk) -> None:
    """The dialog that asks how a picture of the map is to be."""
    desk.open("uniform-100")
    desk.choose("acs-seq", {"iterations": 60}, parameters={"ants": "20"})
    desk.run()
    press(desk.window, Qt.Key.Key_E, CONTROL)
    dialog = desk.window.dialogs.picture
    assert dialog is not None
    dialog.resize(900, 560)
    desk.until(lambda: desk.app.background.idle)
    rest(3000)
    dialog.grab().save(str(HERE / "guide-pictures.png"))
    dialog.close()


def present(desk: Desk) -> None:
    """The script that comes with the program, while its run goes on."""
    plays, said, run = desk.app.presentation, desk.window.presentation.caption, desk.app.runs
    plays.open(example())
    desk.until(lambda: plays.script is not None)
    assert plays.script is not None
    desk.window.resize(1280, 800)

    def says(text: str) -> None:
        desk.until(lambda: said.text() == text)

    first, *others = plays.script.steps[:5]
    says(first.say or "")
    for step in others:
        press(desk.window, Qt.Key.Key_PageDown)
        says(step.say or "")
    desk.until(lambda: run.current and run.current.latest and run.current.latest.iteration > 40)
    desk.window.dashboard.queue.finish()
    desk.window.grab().save(str(HERE / "guide-present.png"))
    press(desk.window, Qt.Key.Key_Escape)
    press_stop(desk.window)
    desk.until(lambda: run.active is None)


PICTURES: Mapping[str, Callable[[Desk], None]] = {
    "window-dark": tour,
    "window-coloring": coloring,
    "runs": runs,
    "race": race,
    "study": study,
    "guide-begin": begin,
    "guide-decisions": decisions,
    "guide-draw": draw,
    "guide-pictures": pictures,
    "guide-present": present,
    "guide-files": files,
    "guide-stops": route,
    "guide-classes": classes,
    "guide-watch": watch,
    "guide-film": film,
    "guide-live": live,
}


def main() -> None:
    """Make the pictures that are named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    known = f"of {', '.join(PICTURES)}; default: all of them"
    parser.add_argument("names", nargs="*", metavar="NAME", help=known)
    names = parser.parse_args().names
    if unknown := set(names) - set(PICTURES):
        parser.error(f"no picture {', '.join(sorted(unknown))}: choose of {', '.join(PICTURES)}")
    qt_application()
    for name in names or PICTURES:
        with Notifications() as notifications, tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_STATE_HOME"] = folder
            desk = Desk(notifications, Path(folder))
            PICTURES[name](desk)
            desk.settle()
            desk.app.close()
        print(f"{name}: made", flush=True)
    os._exit(0)  # a thread may still be compiling colonies, which nobody waits for here


if __name__ == "__main__":
    main()
