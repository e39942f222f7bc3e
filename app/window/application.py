"""The window with its models and controllers: makes them, connects them, and ends them."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.notifications import Notifications
from app.window.controllers.batch.measurements import MeasurementController
from app.window.controllers.batch.papers import PapersController
from app.window.controllers.batch.races import RaceController
from app.window.controllers.batch.studies import StudyController
from app.window.controllers.batch.study_findings import StudyFindingsController
from app.window.controllers.devices import DeviceController
from app.window.controllers.instances.cities import CityController
from app.window.controllers.instances.drawing import DrawingController
from app.window.controllers.instances.files import BestKnownController, FileController
from app.window.controllers.instances.gallery import DownloadController, GenerateController
from app.window.controllers.instances.given_tours import GivenTourController
from app.window.controllers.instances.importing import ImportController
from app.window.controllers.instances.routes import RouteController
from app.window.controllers.output.exports import ExportController
from app.window.controllers.output.pictures import FilmController, PictureController
from app.window.controllers.output.presentation import PresentationController
from app.window.controllers.output.printing import PrintController
from app.window.controllers.runs.decisions import DecisionController
from app.window.controllers.runs.graphs import GraphController
from app.window.controllers.runs.live import LiveController
from app.window.controllers.runs.overlays import OverlayController
from app.window.controllers.runs.replay import ReplayController
from app.window.controllers.runs.run_archive import RunArchiveController
from app.window.controllers.runs.run_display import RunDisplay
from app.window.controllers.runs.runs import RunController
from app.window.controllers.runs.walks import WalkController
from app.window.gallery_first import GalleryFirst
from app.window.models.run_list import RUNS_PATIENCE
from app.window.qt_application import settings_in
from gpu.core.formats import number_of
from gpu.core.machine.compiling import COMPILING, CompilingProcesses, most_processes
from gpu.core.problem import Problem
from gpu.problems.bundled import bundled
from gpu.run.log.names import default_log_path
from gpu.run.session import Session
from views.frame.main_window import MainWindow
from views.setup.presets import presets


class Application(QObject):
    """A window, its models, and the controllers that connect them but do not know each other.

    The window shows the sentences of ``notifications``. Its state is kept in ``settings_file``, by
    default in the user's settings. The function ``log_path`` says where a run's log goes. What is
    in sight already is ``first``, with settings of its own.
    """

    told = Signal(str)  # a sentence for the user; any thread may emit it

    def __init__(
        self,
        notifications: Notifications,
        settings_file: Path | None = None,
        log_path: Callable[[Session], Path] = default_log_path,
        first: GalleryFirst | None = None,
    ) -> None:
        super().__init__()
        first = first or GalleryFirst(settings_in(settings_file))
        first.setParent(self)
        self.runs, self.instance, self.background, _, self.window = parts = first.parts
        self.gallery, window = first.gallery, self.window
        window.add_views()
        _offer_instances(window)
        self._compiler = CompilingProcesses(most_processes())
        COMPILING.elsewhere = self._compiler.do
        self.run_display = RunDisplay(parts, self)
        self.decisions = DecisionController(parts, self)
        self.walks = WalkController(parts, self)
        self.run_controller = RunController(parts, log_path, self.told.emit, self)
        self.races = RaceController(parts, log_path, self.told.emit, self)
        self.studies = StudyController(parts, self)
        self.findings = StudyFindingsController(parts, self)
        self.measurements = MeasurementController(parts, self)
        self.graphs = GraphController(parts, self)
        self.exports = ExportController(parts, self)
        self.pictures = PictureController(parts, self)
        self.printing = PrintController(parts, self)
        self.presentation = PresentationController(parts, self)
        self.archive = RunArchiveController(parts, self)
        self.replay = ReplayController(parts, self)
        self.films = FilmController(parts, self)
        self.overlays = OverlayController(parts, self)
        self.given_tours = GivenTourController(parts, self)
        self.files = FileController(parts, self)
        self.importing = ImportController(parts, self)
        self.routes = RouteController(parts, self)
        self.devices = DeviceController(parts, self)
        self.best_known = BestKnownController(parts, self)
        self.drawing = DrawingController(parts, self)
        self.cities = CityController(parts, self)
        self.live = LiveController(parts, self)
        self.generating = GenerateController(parts, self)
        self.downloading = DownloadController(parts, self)
        self.papers = PapersController(parts, self)
        self._connect()
        self.told.connect(window.tell, Qt.ConnectionType.QueuedConnection)
        self._listeners = notifications.listeners
        self._listeners.append(self.told.emit)

    def _connect(self) -> None:
        """Connect the controllers, which do not know each other.

        The order of rows does not matter. The slots of one signal are called from left to right.
        """
        connections: tuple[tuple[Any, ...], ...] = (
            (self.replay.film_wanted, self.films.ask),
            (self.walks.step_wanted, self.run_controller.step),
            (self.walks.stop_wanted, self.run_controller.stop),
            (self.gallery.open_wanted, self.files.open),
            (self.drawing.solved, self.gallery.start),
            (self.generating.made, self.gallery.choose, self.files.open),
            (self.downloading.open_wanted, self.gallery.choose, self.files.open),
            (self.downloading.fetched, self.gallery.refresh, self.studies.look_again),
            (self.studies.fetch_wanted, self.downloading.fetch),
            (self.papers.study_chosen, self.studies.open),
            (self.window.gallery.papers.fetch_wanted, self.downloading.fetch),
            (self.files.refused, self.gallery.give_up),
            (self.files.unsure, self.importing.show),
            (self.importing.chosen, self.files.take),
            (self.routes.chosen, self.files.take),
            (self.importing.given_up, self.files.give_up),
            (self.files.ready, self.gallery.go_on),
            (self.best_known.kept, self.files.open),
            (self.measurements.begun, self.decisions.make_room),
            (self.races.begun, self.decisions.make_room),
            (self.studies.begun, self.decisions.make_room),
            (self.studies.results_chosen, self.findings.show, self.archive.note_study),
            (self.studies.results_grown, self.findings.refresh, self.archive.refresh_seen),
            (self.findings.run_wanted, self.archive.show_run),
            (self.files.stop_wanted, self.run_controller.stop, self.races.stop),
            (self.files.race_opened, lambda race: self.races.show_recorded(*race)),
            (self.files.study_chosen, self.studies.open),
            (
                self.files.shown,
                self.decisions.refresh,
                self.walks.refresh,
                self.studies.tell_of_instance,
                self.archive.offer_earlier,
            ),
            (self.presentation.start_wanted, self.run_controller.start),
            (self.archive.open_wanted, self.files.open),
            (self.archive.run_wanted, self.run_controller.repeat),
            (
                self.files.recorded,
                self.overlays.note_opened,
                self.archive.show_recorded,
                self.walks.show_recorded,
                self.replay.show_recorded,
                self.exports.show_recorded,
                self.run_controller.show_recorded,
            ),
            (
                self.devices.found,
                self.window.setup.show_recalled,
                self.run_display.show_device,
                self.files.announce,
            ),
            (self.devices.compiled, self.decisions.show_compiling),
        )
        for signal, *called in connections:
            for slot in called:
                signal.connect(slot)

    def close(self) -> bool:
        """End all that is under way, close the window; return whether every thread has ended."""
        if self.told.emit in self._listeners:
            self._listeners.remove(self.told.emit)
        self.run_display.close_log()
        self.replay.close()
        self.presentation.leave()
        COMPILING.give_way()
        deadline = time.monotonic() + RUNS_PATIENCE
        ended = True
        for part in (self.runs, self.decisions, self.background):
            ended = part.shutdown(max(0.1, deadline - time.monotonic())) and ended
        if COMPILING.elsewhere == self._compiler.do:
            COMPILING.elsewhere = None
        self._compiler.end()
        for timer in self.findChildren(QTimer):
            timer.stop()  # the window may be destroyed before what looks at it now and then
        self.window.close()
        return ended


def _offer_instances(window: MainWindow) -> None:
    """List the presets and the bundled instances in the setup panel."""
    window.setup.show_presets(presets())
    window.setup.instance.show_bundled(
        {
            problem: [
                (f"{one.name}:  {number_of(one.n, problem.words.place)}. {one.kind}", one.path)
                for one in sorted(bundled(), key=lambda one: one.n)
                if one.problem is problem
            ]
            for problem in Problem
        }
    )
