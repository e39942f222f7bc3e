"""The demonstration: solves a bundled instance as the window opens, then measures speedups."""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from app.files.pictures import save_png
from app.notifications import Notifications
from app.termination import leave
from app.window.application import Application
from app.window.event_loop import StallMeter
from app.window.models.run import RunModel
from app.window.qt_application import qt_application
from gpu.problems.bundled import bundled
from gpu.run.log.names import free_path, stem
from gpu.run.outcome import Ending, RunOutcome
from views.decision.decision_view import DecisionView
from views.widgets.picture_export import as_image
from views.widgets.steps import StepQueue, Steps

DEMO_INSTANCE = "map-1000"  # the bundled instance that is solved
DEMO_COLONY = "acs-spm"
WARMING = 4.0  # longest time in seconds that the run waits for imports and compilers

# With no display, seconds that the run lasts, seconds that speedups are measured, and seconds after
# which the demonstration ends whatever it is doing:
DEMO_RUN_SECONDS, MEASURING, GIVE_UP = 8.0, 15.0, 120.0
ANSWER_WITHIN = 20.0  # seconds that a picture waits for what a thread is asked
DEMO_WINDOW_SIZE = (1600, 1000)  # width and height of the window with no display


class Demo(QObject):
    """Opens the instance, solves it for ``seconds`` as soon as it can, then measures speedups."""

    def __init__(self, application: Application, seconds: float) -> None:
        super().__init__(application)
        self._application = application
        self._seconds = seconds
        self._awaited = {"instance", "imports"}
        application.files.ready.connect(partial(self._arrived, "instance"))
        application.devices.expected = DEMO_COLONY
        application.devices.warm.connect(partial(self._arrived, "imports"))
        QTimer.singleShot(round(WARMING * 1000), self, partial(self._arrived, "imports"))
        application.runs.ended.connect(self._ended)

    def begin(self) -> None:
        """Open the instance."""
        path = next(one.path for one in bundled() if one.name == DEMO_INSTANCE)
        self._application.files.open(path)

    def _arrived(self, what: str) -> None:
        """Start the run when the last thing that it awaits is there."""
        last = self._awaited == {what}
        self._awaited.discard(what)
        if not last:
            return
        setup = self._application.window.setup
        setup.colony.choose_alias(DEMO_COLONY)
        setup.stop.set_values({"seconds": self._seconds})
        setup.parameters.set_values({"ants": 256, "update_period": 4})
        self._application.run_controller.start()

    def _ended(self, run: RunModel) -> None:
        self._application.runs.ended.disconnect(self._ended)
        assert run.outcome is not None
        if run.outcome.ending is Ending.FINISHED:
            self._application.measurements.speedups(thorough=False)


def run_offscreen(out: Path) -> int:
    """Run the demonstration where nobody sees it, and leave pictures and the log in ``out``."""
    qt = qt_application()
    out.mkdir(parents=True, exist_ok=True)
    settings = out / "window.json"
    with Notifications() as notifications:
        application = Application(
            notifications, settings, lambda session: free_path(out, stem(session), ".jsonl")
        )
        window, measurements = application.window, application.measurements
        window.theme_choice.choose("dark")
        window.resize(*DEMO_WINDOW_SIZE)
        window.show()
        meter, steps = StallMeter(), StepQueue(window)
        ends: list[RunOutcome] = []
        left: list[Path] = []

        def solved(run: RunModel) -> None:
            meter.stop()
            assert run.outcome is not None
            ends.append(run.outcome)
            QTimer.singleShot(round(MEASURING * 1000), application, measurements.cancel)

        def measured() -> None:
            if ends:
                QTimer.singleShot(100, application, finish)

        def pictures() -> Steps[None]:
            try:
                left.extend((yield from leave_pictures(application, out)))
            finally:
                qt.quit()

        def finish() -> None:
            if not steps.busy and not left:
                steps.begin(pictures, lambda _: None)

        application.runs.ended.connect(solved)
        application.runs.batch.ended.connect(measured)
        application.run_controller.solving.connect(meter.start)
        QTimer.singleShot(round(GIVE_UP * 1000), application, finish)
        Demo(application, DEMO_RUN_SECONDS).begin()
        qt.exec()
        ended = application.close()
    settings.unlink(missing_ok=True)
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


def leave_pictures(application: Application, out: Path) -> Steps[list[Path]]:
    """Write pictures of the window in both themes, and of every view; return their paths.

    It is done in steps: without events no theme can change, and no thread can answer a view.
    """
    window = application.window
    left = []
    window.dashboard.queue.finish()
    for theme in ("light", "dark"):
        window.theme_choice.choose(theme)
        window.paint_now()
        left.append(out / f"window-{theme}.png")
        save_png(window.grab().toImage(), left[-1])
    for key, view in window.dashboard.views.items():
        if not view.of_run:
            continue
        window.dashboard.show_view(key)
        if isinstance(view, DecisionView):
            yield from _answered(view)
        view.draw_all()
        left.append(out / f"view-{key}.png")
        save_png(as_image(view, window.theme, application.pictures.caption_of(view)), left[-1])
    return left


def _answered(view: DecisionView) -> Steps[None]:
    """Wait until a thread has answered what the view asks it for, but not for long."""
    begun = time.monotonic()
    while view.waits and time.monotonic() - begun < ANSWER_WITHIN:
        yield
