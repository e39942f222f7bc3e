"""The Python interface, used as scripts use it."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gpu.problems.bundled import bundled
from gpu.problems.tsp.instance import TspInstance
from gpu.run import Ending, RunFailedError, RunState, load_instance, solve
from tests import colonies
from tests.colonies import RandomColony
from tests.gpu.cpu import makers
from tests.processes import FOLDER, RING, environment

ROOT = Path(__file__).resolve().parents[3]
INSTANCE = colonies.some_cities(optimum=1)


def readme_scripts() -> list[str]:
    text = ROOT.joinpath("README.md").read_text("utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.fixture(params=readme_scripts())
def script(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A script of the README beside the file that it loads, which is a bundled instance here."""
    path = tmp_path / "stranger.py"
    path.write_text(request.param, "utf-8")
    (name,) = re.findall(r'load_instance\("(\w+)\.tsp"\)', request.param)
    for ending in (".tsp", ".opt.tour"):
        shutil.copyfile(FOLDER / f"{RING}{ending}", tmp_path / f"{name}{ending}")
    return path


@pytest.mark.timeout(300)  # it may have to compile
def test_the_scripts_of_the_readme_run(script: Path) -> None:
    done = subprocess.run(
        [sys.executable, script.name],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
        cwd=script.parent,
        env=environment(),
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert re.match(r"5\d\d\d \d\.\d", done.stdout)  # the ring's tours are at least 5000 long


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_scripts_of_the_readme_pass_a_strict_type_check(script: Path) -> None:
    pytest.importorskip("mypy")
    cache = ROOT / ".mypy_cache" / "script"
    options = ("--strict", "--follow-imports=silent", "--cache-dir", cache)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *map(str, options), script.name],
        capture_output=True,
        text=True,
        check=False,
        cwd=script.parent,
        env={**environment(), "MYPYPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_result_has_all_that_decided_the_run_and_all_that_it_found() -> None:
    instance = load_instance(FOLDER / f"{RING}.tsp")
    options = {"ants": 16, "beta": "2"}
    result = solve(
        instance, colony="acs", device="cpu:1", parameters=options, seed=3, iterations=20,
        go_on=True,
    )  # fmt: skip
    assert result.session.colony == "acs-seq"
    assert result.session.seed == 3
    assert result.ending is Ending.FINISHED
    assert result.reason == "the limit of 20 iterations is reached"
    assert result.iterations == 20
    assert result.solutions_built == 320
    assert 1 <= result.best_iteration <= 20
    assert result.seconds > 0
    assert result.cost == instance.cost_of(result.solution)
    assert result.gap_percent == pytest.approx((result.cost - 5000) / 50)
    again = solve(
        instance, colony="acs-seq", device="cpu:1", parameters=options, seed=3, iterations=20,
        go_on=True,
    )  # fmt: skip
    assert again.solution is not None
    assert np.array_equal(again.solution, result.solution)


def test_graphs_are_colored_by_default_by_the_colony_for_them() -> None:
    graph = load_instance(
        min(
            (one for one in bundled() if one.problem.value == "coloring"), key=lambda one: one.n
        ).path
    )
    result = solve(graph, device="cpu:1", seed=1, iterations=1)
    assert result.cost == result.solution.max() + 1


def test_another_thread_can_stop_it_and_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    name = colonies.install(monkeypatch, RandomColony)
    stop = threading.Event()
    seen: list[RunState] = []

    def progress(state: RunState) -> None:
        seen.append(state)
        if state.iteration > 5:
            threading.Thread(target=stop.set).start()

    result = solve(INSTANCE, colony=name, progress=progress, cancelled=stop.is_set)
    assert result.ending is Ending.CANCELLED
    assert result.iterations == seen[-1].iteration > 5
    assert result.cost == seen[-1].best_cost
    assert RandomColony.built[-1].closed == 1


@pytest.fixture
def interrupts() -> Iterator[None]:
    """Ctrl-C does here what it does in a script: tests may run where it is ignored."""
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, former)


@pytest.mark.usefixtures("interrupts")
def test_ctrl_c_ends_the_run_with_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    name = colonies.install(monkeypatch, RandomColony)

    def progress(state: RunState) -> None:
        if state.iteration > 5 and signal.getsignal(signal.SIGINT) != signal.default_int_handler:
            signal.raise_signal(signal.SIGINT)

    result = solve(INSTANCE, colony=name, seconds=600, progress=progress)
    assert result.ending is Ending.CANCELLED
    assert result.iterations > 5
    assert result.cost == INSTANCE.cost_of(result.solution)
    assert RandomColony.built[-1].closed == 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("interrupts")
def test_ctrl_c_within_an_iteration_waits_for_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(RandomColony):
        def once(self) -> None:
            if not self.iteration:
                signal.raise_signal(signal.SIGINT)
            super().once()

    name = colonies.install(monkeypatch, Interrupted)
    result = solve(INSTANCE, colony=name, seconds=600)
    assert (result.ending, result.iterations) == (Ending.CANCELLED, 1)


@pytest.mark.usefixtures("interrupts")
def test_a_second_ctrl_c_ends_what_does_not_end_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    name = colonies.install(monkeypatch, RandomColony)

    def progress(state: RunState) -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        solve(INSTANCE, colony=name, seconds=600, progress=progress)
    assert RandomColony.built[-1].closed == 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_of_the_script_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    name = colonies.install(monkeypatch, RandomColony)
    heard: list[int] = []
    stop = threading.Event()

    def own(number: int, _: object) -> None:
        heard.append(number)
        stop.set()

    def progress(_: RunState) -> None:
        if not heard:
            signal.raise_signal(signal.SIGINT)

    former = signal.signal(signal.SIGINT, own)
    try:
        result = solve(
            INSTANCE,
            colony=name,
            progress=progress,
            cancelled=stop.is_set,
        )
    finally:
        signal.signal(signal.SIGINT, former)
    assert heard == [signal.SIGINT]
    assert result.ending is Ending.CANCELLED


def test_a_failure_is_raised_with_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    name = colonies.install(monkeypatch, colonies.Failing)
    with pytest.raises(RunFailedError, match="cuda:0 stopped answering") as failed:
        solve(INSTANCE, colony=name, seconds=60)
    result = failed.value.result
    assert result.ending is Ending.FAILED
    assert result.cost == INSTANCE.cost_of(result.solution)
    assert "Traceback" in failed.value.__notes__[0]


def test_numbers_may_be_those_of_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    name = colonies.install(monkeypatch, RandomColony)
    three: Any = np.int64(3)
    seconds: Any = np.float32(60)
    ants = {"ants": np.int32(5)}
    result = solve(
        INSTANCE, colony=name, iterations=three, seconds=seconds, seed=three, parameters=ants
    )
    assert result.iterations == 3
    assert json.dumps(result.to_dict())
    assert result.session.to_dict()["seed"] == 3


@pytest.mark.parametrize("make", [makers.uniform, makers.directed])
def test_a_focused_colony_begins_with_a_given_tour(
    make: Callable[[int], TspInstance], tmp_path: Path
) -> None:
    instance = make(60)
    path = tmp_path / "start.tour"
    start = np.random.default_rng(1).permutation(60)
    instance.write(path, start)
    result = solve(
        instance,
        colony="focused",
        device="cpu:1",
        seed=1,
        start=path,
        parameters={"ants": 1},
        iterations=3,
    )
    assert result.session.start is not None
    assert result.cost is not None
    assert result.cost < instance.tour_length(start)
    usual = solve(
        instance, colony="focused", device="cpu:1", seed=1, parameters={"ants": 1}, iterations=3
    )
    assert usual.solution.tolist() != result.solution.tolist()
