"""The demonstration: a bundled instance solved as the window opens, then speedups measured."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.notifications import Notifications
from app.window.gui import DEMO_INSTANCE, application, close_window, leave, make_window
from app.window.process.stall_meter import StallMeter
from gpu.problems.bundled import bundled
from gpu.run.outcome import Ending, Outcome
from gpu.run.recorder import free_path, stem
from views.widgets.pictures import as_image

if TYPE_CHECKING:
    from app.window.controller import WindowController

SECONDS = 8.0
"""How long the run lasts with no display."""

WARMING = 4.0
"""Seconds that the run waits, at most, until what it needs is imported."""

MEASURING = 15.0
"""Seconds after which measuring speedups is given up with no display."""

GIVE_UP = 120.0
"""Seconds after which the demonstration ends with no display, whatever it is at."""

SIZE = (1600, 1000)
"""Width and height of the window with no display."""


class Demo(QObject):
    """Opens the instance, starts a run when all is there, and measures when it has ended.

    Parameters
    ----------
    controller : WindowController
        Whose window is shown.
    seconds : float
        How long the run lasts.

    Attributes
    ----------
    solved : Signal
        The run has ended, with its Outcome.
    """

    solved = Signal(object)

    def __init__(self, controller: WindowController, seconds: float) -> None:
        super().__init__(controller)
        self._controller = controller
        self._seconds = seconds
        self._begun = False
        self._ready = self._warm = False
        controller.ready.connect(self._is_ready)
        controller.warm.connect(self._is_warm)
        QTimer.singleShot(round(WARMING * 1000), self, self._is_warm)
        controller.run_ended.connect(self._ended)

    def begin(self) -> None:
        """Open the instance."""
        path = next(one.path for one in bundled() if one.name == DEMO_INSTANCE)
        self._controller.open(path)

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
        setup = self._controller.window.setup
        setup.colony.choose_search("acs-spm")
        setup.stop.set_values({"seconds": self._seconds})
        setup.parameters.set_values({"ants": 256, "update_period": 4})
        self._controller.start()

    def _ended(self, outcome: Outcome) -> None:
        self._controller.run_ended.disconnect(self._ended)
        self.solved.emit(outcome)
        if outcome.ending is Ending.FINISHED:
            self._controller.measurements.speedups(thorough=False)


def run_offscreen(out: Path) -> int:
    """Run the demonstration where nobody sees it, and leave pictures and the log in ``out``."""
    app = application()
    out.mkdir(parents=True, exist_ok=True)
    with Notifications() as notifications:
        controller = make_window(notifications, out / "window.ini")
        controller.log_path = lambda session: free_path(out, stem(session), ".jsonl")
        window = controller.window
        window.choose_theme("dark")
        window.resize(*SIZE)
        window.show()
        meter = StallMeter()
        ends: list[Outcome] = []
        demo = Demo(controller, SECONDS)

        def solved(outcome: Outcome) -> None:
            meter.stop()
            ends.append(outcome)
            QTimer.singleShot(round(MEASURING * 1000), controller, controller.measurements.cancel)

        def measured() -> None:
            if ends:
                QTimer.singleShot(100, app.quit)

        demo.solved.connect(solved)
        controller.measurements.idle.connect(measured)
        controller.solving.connect(meter.start)
        QTimer.singleShot(round(GIVE_UP * 1000), controller, app.quit)
        demo.begin()
        app.exec()
        left = leave_pictures(controller, out)
        ended = close_window(controller)
    (out / "window.ini").unlink(missing_ok=True)
    run = controller.run
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


def leave_pictures(controller: WindowController, out: Path) -> list[Path]:
    """Write pictures of the window in both themes, and of every view."""
    window = controller.window
    left = []
    window.dashboard.settle()
    for theme in ("light", "dark"):
        window.choose_theme(theme)
        left.append(out / f"window-{theme}.png")
        window.grab().save(str(left[-1]))
    for key, view in window.dashboard.views.items():
        window.dashboard.show_view(key)
        view.draw_all()
        left.append(out / f"view-{key}.png")
        as_image(view, window.theme, controller.exports.caption).save(str(left[-1]))
    return left
