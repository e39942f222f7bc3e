"""Leave pictures of the window while a colony is at work, and of an ant's decision.

    python docs/measurements/pictures.py INSTANCE DEVICE COLONY OUT_FOLDER SECONDS [name=value...]

Solves INSTANCE for SECONDS in the real window (offscreen unless QT_QPA_PLATFORM says otherwise).
Half way, with the view of the device in sight, takes ``running.png``, then pauses and looks into
what the first ant will choose in the middle of its tour (``decision.png``); takes ``ended.png``
after the end.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QTimer

from app.notifications import Notifications
from app.window.application import Application, qt_application
from app.window.threads.solver import RunState
from gpu import catalog
from gpu.core import devices
from views.decision.step_controls import StepControls
from views.setup.setup_panel import Choices

LOOKED_AT = 3000
"""Milliseconds that an answer, and what is drawn of it, has time."""


class Pictures:
    """Takes one picture after the other.

    Parameters
    ----------
    application : Application
        Whose window is taken; the instance is being loaded.
    choices : Choices
        What is run.
    seconds : float
        How long.
    out : Path
        An existing folder.
    """

    def __init__(
        self, application: Application, choices: Choices, seconds: float, out: Path
    ) -> None:
        self._application, self._choices, self._out = application, choices, out
        self._seconds = seconds
        self._begun = False
        application.files.ready.connect(self._start)
        application.run_controller.solving.connect(self._solving)

    def _after(self, milliseconds: float, what: Callable[[], None]) -> None:
        QTimer.singleShot(round(milliseconds), self._application, what)

    def _take(self, name: str) -> None:
        self._application.window.grab().save(str(self._out / name))

    def _start(self) -> None:
        if not self._begun:
            self._begun = True
            self._application.window.setup.set_choices(self._choices)
            self._application.window.dashboard.show_view("device")
            self._application.run_controller.start()

    def _solving(self) -> None:
        self._application.run_controller.solving.disconnect(self._solving)  # it resumes later
        self._after(500 * self._seconds, self._running)

    def _running(self) -> None:
        self._take("running.png")
        self._application.run_controller.pause()
        self._decide()

    def _decide(self) -> None:
        run, instance = self._application.runs.active, self._application.instance.value
        assert run is not None
        assert instance is not None
        if run.state is not RunState.PAUSED:
            self._after(20, self._decide)
            return
        dashboard = self._application.window.dashboard
        dashboard.show_view("decision")
        steps = dashboard.views["decision"].findChild(StepControls)
        assert steps is not None
        steps.go_to(instance.n // 2)
        self._after(LOOKED_AT, self._resume)

    def _resume(self) -> None:
        self._take("decision.png")
        dashboard = self._application.window.dashboard
        dashboard.show_view("tour")
        dashboard.show_view("convergence")
        self._application.runs.ended.connect(lambda _: self._after(LOOKED_AT, self._ended))
        self._application.run_controller.resume()

    def _ended(self) -> None:
        self._application.window.dashboard.settle()
        self._application.window.banner.clear()
        self._take("ended.png")
        qt_application().quit()


def main() -> None:
    """Take the pictures."""
    path, device, colony, out = Path(sys.argv[1]), sys.argv[2], sys.argv[3], Path(sys.argv[4])
    seconds = float(sys.argv[5])
    values = dict(given.split("=", 1) for given in sys.argv[6:])
    out.mkdir(parents=True, exist_ok=True)
    app = qt_application()
    with Notifications() as notifications, tempfile.TemporaryDirectory() as folder:
        application = Application(notifications, Path(folder) / "window.ini")
        window = application.window
        window.choose_theme("dark")
        window.resize(1600, 1000)
        window.show()
        system = catalog.find(colony, devices.find(device))
        choices = Choices(device, system.name, values, 1, {"seconds": seconds})
        pictures = Pictures(application, choices, seconds, out)
        application.files.open(path)
        app.exec()
        del pictures
        application.close()


if __name__ == "__main__":
    main()
