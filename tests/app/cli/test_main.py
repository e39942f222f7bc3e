"""The command line as a process, as users and scripts run it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gpu import __version__
from gpu.core.machine import checkout
from gpu.problems.tsp.tsplib.tsplib_files import load
from tests.app.conftest import Command
from tests.processes import INSTANCE, RING, command, environment, run


def test_the_version_is_quick_and_imports_nothing_heavy() -> None:
    code = """if True:
        import atexit, json, sys
        bare = set(sys.modules)
        atexit.register(lambda: print(json.dumps(sorted(set(sys.modules) - bare))))
        sys.argv = ["formicarium", "--version"]
        from app.cli.main import main
        main()
    """
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment()
    )
    version, names = done.stdout.splitlines()
    assert version == f"formicarium {checkout.version()}"
    assert version.startswith(f"formicarium {__version__}")
    modules = set(json.loads(names))
    heavy = {"numpy", "numba", "scipy", "PySide6", "tsplib95", "cupy", "matplotlib"}
    assert not modules & heavy
    assert len(modules) < 200  # to import them is what takes time; there are some 100


def test_the_lists_can_be_read_by_programs_and_people(inside: Command) -> None:
    colonies = json.loads(inside("colonies", "--json").stdout)
    row = next(row for row in colonies if row["name"] == "as-seq")
    options = {one["name"]: one["options"] for one in row["parameters"]}
    assert list(options["selection"])[:3] == ["roulette", "stc-roulette", "lc-roulette"]
    assert options["ants"] is None
    assert "  stc-roulette: roulette wheel over the tour list" in inside("colonies").stdout
    assert [row["name"] for row in colonies][:2] == ["acs-gpu-alt", "acs-gpu-spm"]
    assert {row["name"] for row in colonies[1]["parameters"]} >= {"memory", "q0", "beta"}
    devices = json.loads(inside("devices", "--json").stdout)
    assert [row["name"] for row in devices["devices"]][-2:] == ["cpu", "cpu:1"]
    instances = json.loads(inside("instances", "--json").stdout)
    row = next(row for row in instances["bundled"] if row["name"] == RING)
    assert (row["n"], row["optimum"], row["problem"]) == (INSTANCE.n, 5000, "tsp")
    assert load(Path(row["path"])).n == INSTANCE.n
    assert instances["downloaded"] == []
    for name, word in [
        ("colonies", "acs-gpu-spm"),
        ("devices", "cpu:1"),
        ("instances", RING),
        ("download", "berlin52"),
        ("--help", "solve"),
    ]:
        done = inside(name)
        assert done.returncode == 0
        assert word in done.stdout


@pytest.mark.parametrize("width", [80, 140])
def test_lists_for_people_are_as_wide_as_the_terminal(width: int) -> None:
    from app.cli import lists

    for text_of in (lists.colonies_text, lists.instances_text):
        lines = text_of(width).splitlines()
        assert max(map(len, lines)) <= width
        assert len(lines) < len(text_of(70).splitlines())


def test_a_reader_that_leaves_is_no_error() -> None:
    process = subprocess.Popen(
        command("colonies", "--json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    process.stdout.close()
    process.wait(timeout=60)
    assert process.stderr.read() == b""
    process.stderr.close()


def test_output_that_cannot_be_written_is_one_line_and_status_1() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command("instances"), stdout=full, stderr=subprocess.PIPE, text=True, env=environment()
        )
    assert done.returncode == 1
    assert ["the disk is full" in line for line in done.stderr.splitlines()] == [True], done.stderr


def test_the_lists_can_be_read_on_any_terminal() -> None:
    done = subprocess.run(
        command("colonies"),
        capture_output=True,
        env=environment() | {"PYTHONIOENCODING": "iso-8859-1"},
        check=True,
    )
    assert b"acs-gpu-spm" in done.stdout


INTERRUPTED = {  # what interrupts the command, and the status with which the process ends
    "an import": (
        """
class Interrupting:
    def find_spec(self, name, *_):
        if name == "click":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
""",
        -signal.SIGINT,
    ),
    "after the command": ("atexit.register(os.kill, os.getpid(), signal.SIGINT)", -signal.SIGINT),
    "an import that hides it, as Qt's does": (
        """
class Hiding:
    def find_spec(self, name, *_):
        if name == "app.cli.lists":
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except KeyboardInterrupt:
                raise AttributeError("no attribute 'Format'") from None

sys.meta_path.insert(0, Hiding())
""",
        130,
    ),
}


@pytest.mark.parametrize("when", INTERRUPTED)
def test_an_interrupt_leaves_no_traceback(when: str) -> None:
    interrupts, status = INTERRUPTED[when]
    code = f"""
import atexit, os, signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests run in background
{interrupts}
sys.argv = ["formicarium", {"'devices'" if status == 130 else "'--version'"}]
from app.cli.main import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment())
    assert (done.returncode, done.stderr) == (status, b"")


def test_the_shell_can_complete_commands() -> None:
    asked = {"_FORMICARIUM_COMPLETE": "bash_complete", "COMP_WORDS": "formicarium sp"}
    done = subprocess.run(
        command(),
        capture_output=True,
        text=True,
        env=environment() | asked | {"COMP_CWORD": "1"},
        check=True,
    )
    assert done.stdout == "plain,speedup\n"
    assert "_FORMICARIUM_COMPLETE=bash_source" in run("--help").stdout


def test_an_instance_is_made_of_any_size(
    inside: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = []
    for name, call in (("one", run), ("two", inside)):
        done = call("generate", "uniform", "3000", f"{name}.tsp", "--seed", "4")
        assert done.stdout.startswith(f"{name}.tsp: 3,000 cities, seed 4; the shortest tour has a")
        made.append(load(tmp_path / f"{name}.tsp"))
    assert [one.name for one in made] == ["one", "two"]
    assert made[0].n == len(np.unique(made[0].display, axis=0)) == 3000
    assert np.array_equal(made[0].display, made[1].display)
    typical = int(done.stdout.split()[-1].replace(",", ""))
    assert 0.9 < typical / (0.7124 * 3000 * 100) < 1.05
    for kind in ("clustered", "board", "map", "ring"):
        assert inside("generate", kind, "50", "x.tsp").stdout.count("50 cities") == 1
        assert load(tmp_path / "x.tsp").n == 50
