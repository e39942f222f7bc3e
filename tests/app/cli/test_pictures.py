"""Films and pictures from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from pytestqt.qtbot import QtBot

from app.cli.picture import draw_result
from gpu.core.snapshot import RunState
from gpu.problems.tsp.tsplib import load
from gpu.run.outcome import Ending, Outcome, Result
from gpu.run.session import new_session
from gpu.run.stopping import StopSettings
from tests.app.conftest import Command
from tests.app.in_window import RING as RING_FILE
from tests.processes import run

RING = "ring-50"


@pytest.fixture
def log(tmp_path: Path, inside: Command) -> Path:
    """The log of a short run, recorded."""
    options = ("--colony", "acs", "--device", "cpu:1", "--seed", 1, "--iterations", 20, "--go-on")
    done = inside("solve", RING, *options, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    return next((tmp_path / "out").glob("*.jsonl"))


def test_a_film_of_two_views(tmp_path: Path, log: Path, inside: Command) -> None:
    out = tmp_path / "film.gif"
    length = ("--seconds", 0.5, "--fps", 4, "--size", "400x200", "--theme", "light")
    done = run("film", log, "--out", out, *length, "--view", "tour", "--view", "convergence")
    assert done.returncode == 0, done.stderr
    assert "2 frames" in done.stdout
    with Image.open(out) as film:
        assert film.size == (400, 200)
        film.seek(1)
        colours = film.convert("RGB").getcolors(1 << 16)
    assert len(colours) > 20  # lines, dots and words, not an empty ground
    for options, why in (
        (("--size", "400"), "a size is width x height"),
        (("--out", tmp_path / "film.avi"), "an .mp4 or a .gif"),
        (("--seconds", 0), "more than 0"),
    ):
        refused = inside("film", log, "--out", out, *options)
        assert refused.returncode == 2
        assert why in refused.stderr
    log.with_suffix(".frames").unlink()
    refused = inside("film", log, "--out", out)
    assert refused.returncode == 2
    assert "nothing of the run's past is recorded" in refused.stderr


def test_a_tour_is_drawn(qtbot: QtBot, tmp_path: Path) -> None:
    instance = load(RING_FILE)
    stop = StopSettings(iterations=1)
    session = new_session(instance, colony="as-seq", device="cpu:1", seed=3, stop=stop)
    cost = instance.tour_length(instance.optimal_tour)
    state = RunState(1, 4, cost, 1, cost, float(cost), instance.optimal_tour)
    result = Result.of(instance, session, Outcome(Ending.FINISHED, "done", state))
    draw_result(tmp_path / "a.svg", result)
    text = (tmp_path / "a.svg").read_text("utf-8")
    assert "ring-50  ·  " in text
    assert "seed 3" in text
    assert text.count("<polyline") + text.count("<line") + text.count("<path") > 50
    draw_result(tmp_path / "a.pdf", result)
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
