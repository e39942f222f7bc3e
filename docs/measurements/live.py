"""Measure what the window costs: iterations per second live and headless, and its longest stall.

    python docs/measurements/live.py INSTANCE DEVICE COLONY OUT_FOLDER SECONDS [name=value...]

Runs INSTANCE for SECONDS with no window, then the same session in the real window (offscreen unless
QT_QPA_PLATFORM says otherwise), both twice; then in the window once more for its stalls, since what
measures them, 200 times a second, takes some of the time of a colony on all cores. Leaves pictures.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QTimer

from app.notifications import Notifications
from app.window.application import Application, qt_application
from app.window.models.run import RunModel
from app.window.process.stall_meter import StallMeter
from gpu.problems.loading import load_instance
from gpu.run.outcome import Outcome
from gpu.run.run import Run
from gpu.run.session import new_session
from gpu.run.stopping import StopSettings
from views.setup.setup_panel import Choices


def headless(path: Path, device: str, colony: str, values: dict[str, str], seconds: float) -> float:
    """Iterations per second with no window."""
    instance = load_instance(path)
    session = new_session(
        instance,
        colony=colony,
        device=device,
        parameters=values,
        seed=1,
        stop=StopSettings(seconds=seconds),
    )
    run = Run(instance, session)
    run.build()
    while run.outcome is None:
        run.advance()
    run.close()
    return run.outcome.state.iteration / run.outcome.state.elapsed


def live(
    path: Path,
    device: str,
    colony: str,
    values: dict[str, str],
    seconds: float,
    out: Path,
    meter: StallMeter | None = None,
) -> float:
    """Iterations per second in the window; with a ``meter``, its stalls, too."""
    app = qt_application()
    ends: list[Outcome] = []
    with Notifications() as notifications, tempfile.TemporaryDirectory() as folder:
        application = Application(notifications, Path(folder) / "window.ini")
        window = application.window
        window.resize(1600, 1000)
        window.show()
        begun: list[float] = []

        def start() -> None:
            if begun:
                return
            begun.append(time.perf_counter())
            numbers = {name: float(text) for name, text in values.items()}
            stop = {"seconds": seconds}
            window.setup.set_choices(Choices(device, colony, numbers, 1, stop))
            application.run_controller.start()
            if meter is not None:
                QTimer.singleShot(1500, meter.start)  # once the colony is built

        def ended(run: RunModel) -> None:
            if meter is not None:
                meter.stop()
            assert run.outcome is not None
            ends.append(run.outcome)
            QTimer.singleShot(200, app.quit)

        application.files.ready.connect(start)
        application.runs.ended.connect(ended)
        application.files.open(path)
        app.exec()
        window.dashboard.settle()
        for theme in ("light", "dark"):
            window.choose_theme(theme)
            window.grab().save(str(out / f"live-{theme}.png"))
        application.close()
    print(ends[0].reason, ends[0].state.best_cost)
    return ends[0].state.iteration / ends[0].state.elapsed


def main() -> None:
    """Measure and print."""
    path, device, colony, out = Path(sys.argv[1]), sys.argv[2], sys.argv[3], Path(sys.argv[4])
    seconds = float(sys.argv[5])
    values = dict(argument.split("=") for argument in sys.argv[6:])
    out.mkdir(parents=True, exist_ok=True)
    title = f"{path.stem} {colony} on {device}"
    for attempt in (1, 2):
        without = headless(path, device, colony, values, seconds)
        rate = live(path, device, colony, values, seconds, out)
        print(
            f"{title}, {attempt}: live {rate:.1f}, headless {without:.1f} iterations/s, "
            f"ratio {rate / without:.3f}",
            flush=True,
        )
    meter = StallMeter()
    live(path, device, colony, values, seconds, out, meter)
    print(
        f"{title}: longest stall {1e3 * meter.longest:.0f} ms, "
        f"{100 * meter.share_above(0.02):.2f} % above 20 ms"
    )


if __name__ == "__main__":
    main()
