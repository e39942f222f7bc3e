"""See the window at work: take pictures, or measure what it costs.

An instance is solved for some seconds in the real window (offscreen unless QT_QPA_PLATFORM says
otherwise), and pictures are left in the folder OUT.

pictures: half way, with the view of the device in sight, ``running.png``; then a pause and what the
first ant will choose in the middle of its tour, ``decision.png``; after the end ``ended.png``.

live: iterations per second without the window and with it, both twice; then in the window once more
for its longest stall, since what measures stalls, 200 times a second, takes some of the time of a
colony on all cores.

moves: while the run goes on, the map is zoomed by the wheel and dragged with the mouse, 60 events a
second: how many pictures a second are shown, what a picture takes of the processor, longest stall.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.notifications import Notifications
from app.window.application import Application
from app.window.event_loop import StallMeter
from app.window.models.run import RunModel
from app.window.qt_application import qt_application
from app.window.threads.solver import SolverState
from gpu.problems.loading import load_instance
from gpu.run.outcome import RunOutcome
from gpu.run.run import Run
from gpu.run.session import choose, new_session
from gpu.run.stopping import StopSettings
from tests.hands import NONE, scroll
from views.decision.step_controls import StepControls
from views.setup.presets import Choices
from views.widgets.canvas_view import CanvasView

LOOKED_AT = 3000
"""Milliseconds that an answer, and what is drawn of it, has time."""


ONCE = Qt.ConnectionType.SingleShotConnection


def solve(
    path: Path,
    choices: Choices,
    watch: Callable[[Application], object],
    at_the_end: Callable[[Application], object],
) -> None:
    """Solve an instance in the window until Qt is told to quit.

    ``watch`` is called before the run and arranges what happens to it.
    """

    def start() -> None:
        application.window.setup.set_choices(choices)
        watch(application)
        application.run_controller.start()

    with Notifications() as notifications, tempfile.TemporaryDirectory() as folder:
        application = Application(notifications, Path(folder) / "window.json")
        application.window.resize(1600, 1000)
        application.window.show()
        application.files.ready.connect(start, ONCE)
        application.files.open(path)
        qt_application().exec()
        at_the_end(application)
        application.close()


def pictures(path: Path, choices: Choices, seconds: float, out: Path) -> None:
    """Take one picture after the other."""

    def watch(application: Application) -> None:
        dashboard, controller = application.window.dashboard, application.run_controller

        def later(milliseconds: float, what: Callable[[], object]) -> None:
            QTimer.singleShot(round(milliseconds), application, what)

        def running() -> None:
            application.window.grab().save(str(out / "running.png"))
            controller.pause()
            decide()

        def decide() -> None:
            run, instance = application.runs.active, application.instance.value
            assert run is not None
            assert instance is not None
            if run.state is not SolverState.PAUSED:
                later(20, decide)
                return
            dashboard.show_view("decision")
            steps = dashboard.views["decision"].findChild(StepControls)
            assert steps is not None
            steps.go_to(instance.n // 2)
            later(LOOKED_AT, resume)

        def resume() -> None:
            application.window.grab().save(str(out / "decision.png"))
            dashboard.show_view("tour")
            dashboard.show_view("convergence")
            application.runs.ended.connect(lambda _: later(LOOKED_AT, qt_application().quit))
            controller.resume()

        application.window.theme_choice.choose("dark")
        dashboard.show_view("device")
        controller.solving.connect(lambda: later(500 * seconds, running), ONCE)

    def at_the_end(application: Application) -> None:
        application.window.dashboard.queue.finish()
        application.window.banner.clear()
        application.window.grab().save(str(out / "ended.png"))

    solve(path, choices, watch, at_the_end)


def live(path: Path, choices: Choices, out: Path, meter: StallMeter | None = None) -> float:
    """Iterations per second in the window; with a ``meter``, its stalls, too."""
    ends: list[RunOutcome] = []

    def watch(application: Application) -> None:
        def ended(run: RunModel) -> None:
            if meter is not None:
                meter.stop()
            assert run.outcome is not None
            ends.append(run.outcome)
            QTimer.singleShot(200, qt_application().quit)

        application.runs.ended.connect(ended)
        if meter is not None:
            QTimer.singleShot(1500, meter.start)  # once the colony is built

    def at_the_end(application: Application) -> None:
        application.window.dashboard.queue.finish()
        for theme in ("light", "dark"):
            application.window.theme_choice.choose(theme)
            application.window.grab().save(str(out / f"live-{theme}.png"))

    solve(path, choices, watch, at_the_end)
    print(ends[0].reason, ends[0].state.best_cost)
    return ends[0].state.iteration / ends[0].state.elapsed


class Hand(QObject):
    """Turns the wheel over the map, drags it, and counts what is shown."""

    def __init__(self, application: Application) -> None:
        super().__init__(application)
        view = application.window.dashboard.views["tour"]
        assert isinstance(view, CanvasView)
        self._canvas: QWidget = view.graphics.viewport()
        self._canvas.installEventFilter(self)
        self.meter = StallMeter()
        self._timer = QTimer(self, interval=16)
        self._timer.timeout.connect(self._move)
        self.pictures = self.events = 0
        self._begun = self._worked = 0.0

    def start(self) -> None:
        """Begin to move and to count."""
        self._begun, self._worked = time.perf_counter(), time.thread_time()
        self.pictures = self.events = 0
        self.meter.start()
        self._timer.start()

    def stop(self) -> None:
        """Stop; print what was counted."""
        self._timer.stop()
        self.meter.stop()
        spent, worked = time.perf_counter() - self._begun, time.thread_time() - self._worked
        stall, late = 1e3 * self.meter.longest, 100 * self.meter.share_above(0.05)
        print(
            f"{self.pictures / spent:.1f} pictures/s of {self.events / spent:.1f} events/s, "
            f"{1e3 * worked / max(1, self.pictures):.1f} ms of the processor each and at most "
            f"{1e3 * self.meter.most_work:.0f} ms at once, "
            f"longest stall {stall:.0f} ms, {late:.2f} % above 50 ms",
            flush=True,
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Count pictures."""
        self.pictures += event.type() == QEvent.Type.Paint
        return super().eventFilter(watched, event)

    def _move(self) -> None:
        """Zoom in, drag to and fro, zoom out, drag again."""
        self.events += 1
        turn, step = divmod(self.events, 60)
        middle = self._canvas.rect().center()
        if turn % 2 == 0:
            scroll(self._canvas, 120 if turn % 4 == 0 else -120)
            return
        left = Qt.MouseButton.LeftButton
        place = middle + QPoint(4 * min(step, 60 - step), 3 * min(step, 60 - step))
        if step == 0:
            QTest.mousePress(self._canvas, left, NONE, middle)
        elif step == 59:
            QTest.mouseRelease(self._canvas, left, NONE, place)
        else:
            move = QMouseEvent(
                QEvent.Type.MouseMove, QPointF(place), self._canvas.mapToGlobal(QPointF(place)),
                Qt.MouseButton.NoButton, left, NONE,
            )  # fmt: skip
            QApplication.sendEvent(self._canvas, move)


def moves(path: Path, choices: Choices, seconds: float, out: Path) -> None:
    """Move the map for most of a run."""
    hands: list[Hand] = []

    def watch(application: Application) -> None:
        hand = Hand(application)
        hands.append(hand)

        def begin() -> None:
            hand.start()
            QTimer.singleShot(round(800 * seconds), application, end)

        def end() -> None:
            hand.stop()
            application.window.grab().save(str(out / "moved.png"))
            application.window.dashboard.fit()

        application.run_controller.solving.connect(lambda: QTimer.singleShot(1000, begin), ONCE)
        application.runs.ended.connect(lambda _: QTimer.singleShot(LOOKED_AT, end_all))

    def end_all() -> None:
        qt_application().quit()

    def at_the_end(application: Application) -> None:
        application.window.grab().save(str(out / "all.png"))

    solve(path, choices, watch, at_the_end)


def headless(path: Path, choices: Choices, seconds: float) -> float:
    """Iterations per second with no window."""
    instance = load_instance(path)
    session = new_session(
        instance,
        colony=choices.colony,
        device=choices.device,
        parameters=choices.parameters,
        seed=choices.seed,
        stop=StopSettings(seconds=seconds, go_on=True),
    )
    run = Run(instance, session)
    run.build()
    while run.outcome is None:
        run.advance()
    run.close()
    return run.outcome.state.iteration / run.outcome.state.elapsed


def main() -> None:
    """Take the pictures, or measure and print."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("what", choices=["pictures", "live", "moves"])
    parser.add_argument("instance", type=Path)
    parser.add_argument("device")
    parser.add_argument("colony")
    parser.add_argument("out", type=Path)
    parser.add_argument("seconds", type=float)
    parser.add_argument("parameters", nargs="*", metavar="name=value")
    asked = parser.parse_args()
    what, path, colony = asked.what, asked.instance, asked.colony
    out, seconds = asked.out, asked.seconds
    values = dict(given.split("=", 1) for given in asked.parameters)
    out.mkdir(parents=True, exist_ok=True)
    device, system = choose(colony, asked.device)
    choices = Choices(device.name, system.name, values, 1, {"seconds": seconds, "go_on": True})
    qt_application()
    if what == "pictures":
        pictures(path, choices, seconds, out)
        return
    if what == "moves":
        moves(path, choices, seconds, out)
        return
    title = f"{path.stem} {colony} on {device.name}"
    for attempt in (1, 2):
        without = headless(path, choices, seconds)
        rate = live(path, choices, out)
        rates = f"live {rate:.1f}, headless {without:.1f} iterations/s, ratio {rate / without:.3f}"
        print(f"{title}, {attempt}: {rates}", flush=True)
    meter = StallMeter()
    live(path, choices, out, meter)
    print(
        f"{title}: longest stall {1e3 * meter.longest:.0f} ms, "
        f"{100 * meter.share_above(0.02):.2f} % above 20 ms"
    )


if __name__ == "__main__":
    main()
