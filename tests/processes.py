"""The command line as a process, for the tests that need one, and what it writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np

from gpu.problems.bundled import bundled
from gpu.problems.tsp.tsplib.tsplib_files import load
from tests.waiting import PATIENCE, until

RING = "ring-50"
FOLDER = bundled()[0].path.parent
INSTANCE = load(FOLDER / f"{RING}.tsp")


def command(*arguments: object) -> list[str]:
    """Return the command line of a process that runs the program."""
    return [sys.executable, "-m", "app.cli.main", *map(str, arguments)]


def environment() -> dict[str, str]:
    """Return an environment without a display, in which Python finds this checkout."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    return {**kept, "PYTHONPATH": str(Path(__file__).resolve().parents[1])}


def run(
    *arguments: object, cwd: Path | None = None, stdin: bytes = b""
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    words = command(*arguments)
    done = subprocess.run(
        words, input=stdin, capture_output=True, timeout=PATIENCE, cwd=cwd, env=environment()
    )
    return subprocess.CompletedProcess(
        words, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def start(*arguments: object) -> subprocess.Popen[str]:
    """Start a command; its output is piped."""
    return subprocess.Popen(
        command(*arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """Return the one line that says why nothing was run."""
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("formicarium: ")
    return line


def started(*arguments: object, log: Path) -> subprocess.Popen[str]:
    """Start a run, and wait until its log has lines of progress."""
    process = start(*arguments)
    try:
        until(lambda: process.poll() is not None or has_lines(log, 3))
        assert process.poll() is None, process.communicate()
    except AssertionError:
        process.kill()  # else it would go on for ever
        raise
    return process


def has_lines(log: Path, count: int) -> bool:
    """Whether a log is there, and has so many lines."""
    return log.exists() and log.read_text().count("\n") >= count


def result(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """Return the JSON object that was printed last, after a check of its tour."""
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    tour = np.array(found["tour"]) - 1
    assert sorted(tour) == list(range(INSTANCE.n))
    assert INSTANCE.tour_length(tour) == found["best_length"]
    return found


def colors_in(path: Path) -> list[int]:
    """The color of each vertex, 0-based, in a DIMACS solution whose vertices are in order."""
    rows = [line.split() for line in path.read_text().splitlines() if line.startswith("l ")]
    assert [int(row[1]) for row in rows] == list(range(1, len(rows) + 1))
    return [int(row[2]) - 1 for row in rows]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def published(folder: Path) -> Iterator[str]:
    """The address under which a server on this machine publishes a folder."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
