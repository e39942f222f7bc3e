"""Shows the current run in the window: its newest state, its progress and its log."""

from __future__ import annotations

import math

from PySide6.QtCore import QObject, Slot

from app.files.log_tail import LogTail
from app.window.controllers.controller import SHARE_BESIDE_ALL_CORES, Controller, Parts
from app.window.controllers.runs.run_text import title_of
from app.window.models.run import Expected, RunModel
from gpu.core.snapshot import RunState, Wanted
from gpu.run.log.recorder import versions
from views.plots.pheromone_view import PheromoneView
from views.runs.device_view import DeviceView
from views.runs.log_view import LogView

# A curve whose view is hidden gets its next point once the run is so many times as old.
COLLECT_EVERY = 1.15


class RunDisplay(Controller):
    """Gives the window what the current run tells, and the run what the window wants to see."""

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._collect_from = 0.0  # seconds of the run
        self._expected = Expected()
        self._told = ""  # which notice of the run is shown
        self._tail = LogTail(self._window.view(LogView).add_lines)
        self._runs.current_changed.connect(self._follow)
        self._runs.state_changed.connect(self._leave_time)
        self._runs.ended.connect(self._tail.read)
        self._window.dashboard.wanted_changed.connect(self._want)

    @Slot()
    def show_device(self) -> None:
        """Show the device that runs are made on."""
        device = self._window.setup.colony.device
        if device is not None:
            self._window.view(DeviceView).show_device(device, versions())

    def close_log(self) -> None:
        """Read no more of the run's log."""
        self._tail.follow(None)

    @Slot(object)
    def _follow(self, run: RunModel | None) -> None:
        """Empty the window for ``run``, and show what comes of it."""
        if run is None:
            self.close_log()
            self._window.name_run("")
            return
        window, log = self._window, run.recorder.path
        self._told = ""
        window.begin_run()
        # The parameter of colonies with a selective memory.
        window.view(PheromoneView).show_memory(getattr(run.session.parameters, "memory", 0))
        self.show_device()
        window.view(LogView).show_path(str(log))
        device = window.setup.colony.device
        model = f" ({device.model})" if device is not None else ""
        window.name_run(f"{title_of(run, run.session.device + model)}  ·  log {log.name}")
        self._tail.follow(log)
        run.snapshot_changed.connect(window.show_snapshot)
        run.snapshot_changed.connect(self._note_collected)
        self._collect_from = 0.0
        self._expected = Expected()
        run.looked.connect(self._show_progress)
        self._want()

    @Slot()
    def _leave_time(self) -> None:
        """Draw less often while the colony computes on all cores."""
        run, queue = self._runs.current, self._window.dashboard.queue
        busy = run is not None and run.takes_all_cores
        share = SHARE_BESIDE_ALL_CORES if busy else math.inf
        if share != queue.throttle.share:
            queue.limit(share)

    @Slot()
    def _show_progress(self) -> None:
        run = self._runs.current
        if run is None:
            return
        now = run.latest  # its time goes on even in the middle of an iteration
        if run.snapshot is not None:
            self._window.readout.show_elapsed(now.elapsed)
        share, left = self._expected.share_and_left(now, run.now.stop)
        self._window.run_bar.show_progress(share, left)
        self._leave_time()
        if run.notice != self._told:
            self._told = run.notice
            self._window.tell(run.notice, "warning")
        self._tail.read_sometimes()
        self._want()

    @Slot()
    def _want(self) -> None:
        """Tell the run what the views in sight need, and now and then what others collect."""
        if run := self._runs.active:
            due = run.latest.elapsed >= self._collect_from
            collected = self._window.dashboard.collected if due else Wanted.NUMBERS
            run.want(self._window.wanted | collected)

    @Slot(object)
    def _note_collected(self, snapshot: RunState) -> None:
        if snapshot.branching is not None:
            self._collect_from = COLLECT_EVERY * max(snapshot.elapsed, 0.1)
