"""A run on the window while it goes on: its newest state, its progress, its log."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

from app.files.log_tail import LogTail
from app.window.threads.costly_parts import DearParts
from gpu.acs.parameters import SpmParameters
from gpu.run.recorder import versions

if TYPE_CHECKING:
    from app.window.current_run import CurrentRun
    from app.window.threads.solver import SolverThread
    from views.frame.main_window import MainWindow

FRAME = 33
"""Milliseconds between two looks into the solver's slot."""

FRAME_BESIDE_ALL_CORES = 200
"""The same where the colony computes on all cores, which the window takes time from."""

SHARE_BESIDE_ALL_CORES = 0.025
"""Share of one core that the window may then take."""


class RunDisplay(QObject):
    """Looks at a solver again and again, and shows the window what there is to see.

    Parameters
    ----------
    window : MainWindow
        Which shows it.
    parent : QObject
        Qt's parent.

    Attributes
    ----------
    timer : QTimer
        Calls for the next look.
    """

    def __init__(self, window: MainWindow, parent: QObject) -> None:
        super().__init__(parent)
        self._window = window
        self._solver: SolverThread | None = None
        self._run: CurrentRun | None = None
        self._dear_parts = DearParts()
        self._tail = LogTail(window.log.add_lines)
        self.timer = QTimer(self)
        self.timer.setInterval(FRAME)
        self.timer.timeout.connect(self.look)
        window.wanted_changed.connect(self.ask)

    def show_device(self) -> None:
        """Show on what device a run would be made, or is."""
        device = self._window.setup.colony.device
        if device is not None:
            self._window.device_view.show_device(device, versions())

    def begin(self, run: CurrentRun) -> None:
        """Empty the window for ``run``, and say what it is."""
        self._run = run
        window, log = self._window, run.recorder.path
        window.begin_run()
        parameters = run.session.parameters
        memory = parameters.memory if isinstance(parameters, SpmParameters) else 0
        window.pheromone.show_memory(memory)
        self.show_device()
        window.log.show_path(str(log))
        device = window.setup.colony.device
        model = f" ({device.model})" if device is not None else ""
        title = run.title_on(f"{run.session.device}{model}")
        window.where.setText(f"{title}  ·  log {log.name}")
        self._tail.follow(log)

    def follow(self, solver: SolverThread) -> None:
        """Show what ``solver`` makes of the run from now on."""
        self._solver = solver
        self.ask()
        self.timer.start()

    @Slot()
    def look(self) -> None:
        """Show the newest snapshot, if there is one, and say what the next ones shall carry."""
        solver, run = self._solver, self._run
        if solver is None or run is None:
            return
        snapshot = solver.take()
        shown = 0 if run.snapshot is None else run.snapshot.iteration
        if snapshot is None and solver.latest.iteration > shown:
            snapshot = solver.latest  # between two snapshots the numbers and the tour go on
        if snapshot is not None and snapshot.generation == solver.generation:
            run.snapshot = snapshot
            self._dear_parts.take_in(snapshot)
            self._window.show_snapshot(snapshot)
        now = solver.latest  # its time goes on in the midst of an iteration too
        share = run.session.stop.share_done(now)
        left = now.elapsed * (1 / share - 1) if share else None
        self._window.run_bar.show_progress(share, left)
        self._tail.read_sometimes()
        self.ask()

    def end(self) -> None:
        """Show the run's last state and the rest of its log, and look no more."""
        self.make_room(False)
        self.look()
        self._tail.read()
        self._stop()

    def forget(self) -> None:
        """Show nothing of the run any more, not even its log."""
        self._stop()
        self._tail.follow(None)

    def make_room(self, wanted: bool) -> None:
        """Look and draw less often, for a colony that computes on all cores."""
        self.timer.setInterval(FRAME_BESIDE_ALL_CORES if wanted else FRAME)
        self._window.dashboard.keep_to(SHARE_BESIDE_ALL_CORES if wanted else math.inf)

    @Slot()
    def ask(self) -> None:
        """Tell the solver what the views in sight need."""
        if self._solver is not None:
            wanted = self._window.wanted
            self._solver.want(self._dear_parts.next(wanted), at_rest=wanted)

    def _stop(self) -> None:
        self.timer.stop()
        self._solver = self._run = None
