"""The window as a process: the demonstration, and signals in mid-run."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from app.window.application import Application
from gpu.core.machine.compiling import COMPILING
from gpu.run.log.run_log import read_log
from tests import processes
from tests.waiting import until

_RUN = """
import sys
from pathlib import Path
from app.window import application, launch

make = application.Application
def begin(*arguments):
    made = make(*arguments, log_path=lambda session: Path(sys.argv[2]))
    def start():
        setup = made.window.setup
        setup.colony.devices.setCurrentIndex(setup.colony.devices.findData("cpu:1"))
        setup.colony._device_changed()
        setup.stop.set_values({"go_on": True})
        made.run_controller.start()
    made.files.ready.connect(start)
    return made
application.Application = begin
sys.exit(launch.open_window(Path(sys.argv[1])))
"""


@pytest.mark.slow
def test_the_demonstration_with_no_display_leaves_pictures_and_log(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    done = processes.run("demo", "--out", out)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "finished: the time limit" in done.stdout
    assert "longest stall" in done.stdout
    names = {path.name for path in out.iterdir()}
    views = ("tour", "decision", "convergence", "hit-rates", "device", "pheromone", "speedup")
    others = {"window-light.png", "window-dark.png", "view-compare.png", "view-log.png"}
    expected = {*others, *(f"view-{view}.png" for view in views)}
    assert expected < names
    for name in expected:
        image = QImage(str(out / name))
        assert image.width() >= 800
        assert name in done.stdout
        places = range(0, image.width(), 7), range(0, image.height(), 7)
        colours = {image.pixel(x, y) for x in places[0] for y in places[1]}
        assert len(colours) > 20, name  # it shows something
    light, dark = (
        QImage(str(out / f"window-{theme}.png")).pixelColor(10, 10).lightness()
        for theme in ("light", "dark")
    )
    assert light > 200
    assert dark < 50
    (log,) = [path for path in out.iterdir() if path.suffix == ".jsonl"]
    outcome = read_log(log).outcome
    assert outcome["ending"] == "finished"
    assert names == expected | {log.name, log.with_suffix(".frames").name}


@pytest.mark.parametrize(
    ("instance", "signal_"),
    [("ring-50", signal.SIGINT), ("uniform-10000", signal.SIGTERM)],
)
def test_a_signal_in_mid_run_closes_the_window_and_ends_the_log(
    tmp_path: Path, instance: str, signal_: signal.Signals
) -> None:
    """On the large instance one iteration takes minutes, and is left in its midst."""
    log = tmp_path / "run.jsonl"
    path = Path("resources/instances").resolve() / f"{instance}.tsp"
    environment = {**processes.environment(), "QT_QPA_PLATFORM": "offscreen"}
    process = subprocess.Popen(
        [*processes.command()[:1], "-c", _RUN, str(path), str(log)],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        until(lambda: processes.has_lines(log, 2))
        os.kill(process.pid, signal_)
        _, errors = process.communicate(timeout=120)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, errors
    outcome = read_log(log).outcome
    assert outcome["ending"] == "cancelled"


def test_a_window_has_colonies_compiled_in_another_process(application: Application) -> None:
    assert COMPILING.elsewhere == application._compiler.do
    application.close()
    assert COMPILING.elsewhere is None
