"""The demonstration: solves a bundled instance as the window opens, then measures speedups."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.notifications import Notifications
from app.window.application import Application, leave, make_application, qt_application
from app.window.models.run import RunModel
from app.window.process.stall_meter import StallMeter
from gpu.problems.bundled import bundled
from gpu.run.outcome import Ending, Outcome
from gpu.run.recorder import free_path, stem
from views.widgets.picture_export import as_image

INSTANCE = "map-1000"
"""The bundled instance that is solved."""

SECONDS = 8.0
"""How long the run lasts with no display."""

WARMING = 4.0
"""Longest time in seconds that the run waits for imports and compilers."""

MEASURING = 15.0
"""Longest time in seconds that speedups are measured with no display."""

GIVE_UP = 120.0
"""Seconds after which the demonstration ends with no display, whatever it is doing."""

SIZE = (1600, 1000)
"""Width and height of the window with no display."""


class Demo(QObject):
    """Opens the instance, starts a run when everything is there, and measures after its end.

    Parameters
    ----------
    application : Application
        What is shown.
    seconds : float
        How long the run lasts.

    Attributes
    ----------
    solved : Signal
        The run has ended, with its Outcome.
    """

    solved = Signal(object)

    def __init__(self, application: Application, seconds: float) -> None:
        super().__init__(application)
        self._application = application
        self._seconds = seconds
        self._begun = False
        self._ready = self._warm = False
        application.files.ready.connect(self._is_ready)
        application.devices.warm.connect(self._is_warm)
        QTimer.singleShot(round(WARMING * 1000), self, self._is_warm)
        application.runs.ended.connect(self._ended)

    def begin(self) -> None:
        """Open the instance."""
        path = next(one.path for one in bundled() if one.name == INSTANCE)
        self._application.files.open(path)

    def _is_ready(self) -> None:
        self._ready = True
        self._start()

    def _is_warm(self) -> None:
        self._warm = True
        self._start()

    def _start(self) -> None:
        if self._begun or not (self._ready and self._warm):
            return
        self._begun = True
        setup = self._application.window.setup
        setup.colony.choose_search("acs-spm")
        setup.stop.set_values({"seconds": self._seconds})
        setup.parameters.set_values({"ants": 256, "update_period": 4})
        self._application.run_controller.start()

    def _ended(self, run: RunModel) -> None:
        self._application.runs.ended.disconnect(self._ended)
        assert run.outcome is not None
        self.solved.emit(run.outcome)
        if run.outcome.ending is Ending.FINISHED:
            self._application.measurements.speedups(thorough=False)


def run_offscreen(out: Path) -> int:
    """Run the demonstration where nobody sees it, and leave pictures and the log in ``out``."""
    qt = qt_application()
    out.mkdir(parents=True, exist_ok=True)
    with Notifications() as notifications:
        application = make_application(
            notifications,
            out / "window.ini",
            lambda session: free_path(out, stem(session), ".jsonl"),
        )
        window, measurements = application.window, application.measurements
        window.theme_choice.choose("dark")
        window.resize(*SIZE)
        window.show()
        meter = StallMeter()
        ends: list[Outcome] = []
        demo = Demo(application, SECONDS)

        def solved(outcome: Outcome) -> None:
            meter.stop()
            ends.append(outcome)
            QTimer.singleShot(round(MEASURING * 1000), application, measurements.cancel)

        def measured() -> None:
            if ends:
                QTimer.singleShot(100, qt.quit)

        demo.solved.connect(solved)
        measurements.idle.connect(measured)
        application.run_controller.solving.connect(meter.start)
        QTimer.singleShot(round(GIVE_UP * 1000), application, qt.quit)
        demo.begin()
        qt.exec()
        left = leave_pictures(application, out)
        ended = application.close()
    (out / "window.ini").unlink(missing_ok=True)
    run = application.runs.current
    status = 0 if ends and ends[0].ending is Ending.FINISHED else 1
    if run is not None:
        left.append(run.recorder.path)
    for outcome in ends:
        print(f"{outcome.ending.value}: {outcome.reason}; best {outcome.state.best_cost}")
    print(f"longest stall of the window while solving: {1000 * meter.longest:.0f} ms")
    print(f"left in {out}: {', '.join(path.name for path in left)}")
    sys.stdout.flush()
    if not ended:
        leave(status)
    return status


def leave_pictures(application: Application, out: Path) -> list[Path]:
    """Write pictures of the window in both themes, and of every view."""
    window = application.window
    left = []
    window.dashboard.queue.finish()
    for theme in ("light", "dark"):
        window.theme_choice.choose(theme)
        left.append(out / f"window-{theme}.png")
        window.grab().save(str(left[-1]))
    for key, view in window.dashboard.views.items():
        window.dashboard.show_view(key)
        view.draw_all()
        left.append(out / f"view-{key}.png")
        as_image(view, window.theme, application.exports.caption).save(str(left[-1]))
    return left
