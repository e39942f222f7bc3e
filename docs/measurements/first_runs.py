"""Measure how long it takes from the program's start to the first tour of its ants.

    python docs/measurements/first_runs.py [--device cpu] [--colony NAME ...]
    python docs/measurements/first_runs.py --gallery

For each family of colonies (or each colony that is named), `formicarium solve` makes one iteration
in a process of its own, as the first one on a machine (folders for compiled code are empty), and
once more. It prints a table: seconds since the process began, the processor time of the first, and
how many functions and kernels it compiled.

With --gallery it prints how long the window takes until its gallery is there, and until it does
what the user wants, five times: on the display, or where nobody sees it if there is none.

Python's own bytecode is there, as pip leaves it: compiling it takes another second.

Archives of compiled code are used where they are, in gpu/compiled; see `formicarium compile
--archive`. Nothing is compiled then, and the column says so.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import psutil
from made import ROOT, commit_here, how, sentence
from tables import table, wrapped

from app.window.start import measure_gallery
from gpu import catalog
from gpu.core.machine import devices
from gpu.core.machine.code_files import ARCHIVES, SUFFIX
from gpu.core.problem import Problem
from gpu.core.system import place_of

INSTANCES = {Problem.TSP: "map-1000", Problem.COLORING: "random-500"}
"""The bundled instances on which a first run is likely."""


ONCE = ("--iterations", "1", "--seed", "1", "--json")


class Start(NamedTuple):
    """How a process began."""

    seconds: float  # since it was started, to the end of the first iteration
    processor: float  # seconds of it, and of those that it started
    compiled: int  # functions and kernels


def start(colony: str, problem: Problem, device: str, folder: Path) -> Start:
    """Let a colony make one iteration; what it compiles is kept in the folder."""
    before = len(list(folder.rglob(f"*{SUFFIX}")))
    words = ("solve", INSTANCES[problem], "--colony", colony, "--device", device)
    process = psutil.Popen(
        [sys.executable, "-m", "app.cli.main", *words, *ONCE],
        cwd=ROOT,
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder), "CUPY_CACHE_DIR": str(folder)},
        stdout=subprocess.PIPE,
        text=True,
    )
    children = os.times()
    told, _ = process.communicate()
    after = os.times()
    if process.returncode:
        raise SystemExit(f"{colony} failed")
    used = after.children_user - children.children_user
    used += after.children_system - children.children_system
    times = json.loads(told)["times"]
    return Start(times["total"], used, len(list(folder.rglob(f"*{SUFFIX}"))) - before)


def gallery() -> None:
    """Print a table of how long the window takes."""
    moments = ("tiles are there", "pictures are there", "window answers")
    head = [text for one in moments for text in (f"until {one}, s", "processor, s")]
    lines = []
    for _ in range(5):
        found = measure_gallery()
        times = (found.tiles, found.pictures, found.answers)
        lines.append([f"{value:.2f}" for one in times for value in (one.seconds, one.work)])
    print(table(head, lines, ()))
    made = how(
        "start",
        commit_here(),
        devices.find("cpu"),
        "python docs/measurements/first_runs.py --gallery",
    )
    print("\n" + wrapped(f"*Made {sentence([made])}.*"))


def main(words: Sequence[str] | None = None) -> None:
    """Print a table of the families."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--colony", nargs="*", default=())
    parser.add_argument("--gallery", action="store_true")
    asked = parser.parse_args(words)
    if asked.gallery:
        gallery()
        return
    places = (asked.device, "cpu:1") if asked.device == "cpu" else (asked.device,)
    for folder in ("app", "gpu"):
        compileall.compile_dir(ROOT / folder, quiet=1)
    found = [(place_of(devices.find(name)), name) for name in places]
    lines = []
    for family, systems in catalog.families().items():
        chosen = [
            (system, name)
            for place, name in found
            for system in systems
            if place in system.builders and (not asked.colony or system.name in asked.colony)
        ]
        for system, name in chosen[: None if asked.colony else 1]:
            with tempfile.TemporaryDirectory() as folder:
                first, again = (
                    start(system.name, system.problem, name, Path(folder)) for _ in range(2)
                )
            seconds = (f"{first.seconds:.1f}", f"{first.processor:.1f}", str(first.compiled))
            lines.append([family.title, f"`{system.name}`", *seconds, f"{again.seconds:.1f}"])
            print(lines[-1], file=sys.stderr, flush=True)
    head = ("family", "colony", "first, s", "of processors, s", "compiled", "again, s")
    print(table(head, lines, (0, 1)))
    archives = ", ".join(sorted(path.name for path in ARCHIVES.glob("*.zip")))
    print(f"\nArchives of compiled code: {archives or 'none'}.")
    command = " ".join(["python", "docs/measurements/first_runs.py", *(words or sys.argv[1:])])
    made = how("start", commit_here(), devices.find(asked.device), command)
    print("\n" + wrapped(f"*Made {sentence([made])}.*"))


if __name__ == "__main__":
    main()
