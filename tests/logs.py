"""Logs of runs that were never made, for tests that read logs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gpu.core.instance import Instance
from gpu.run.log.recorder import header
from gpu.run.session import Session, new_session
from gpu.run.stopping import StopSettings
from tests.colonies import some_cities

OPTIMUM = 100
CITIES = some_cities(optimum=OPTIMUM)


def line(
    iteration: int, best: object, kind: str = "improvement", **others: object
) -> dict[str, object]:
    """Return a line of a log: ten tours an iteration, two iterations a second."""
    return {
        "kind": kind,
        "iteration": iteration,
        "seconds": iteration / 2,
        "tours": 10 * iteration,
        "best": best,
        "best_iteration": iteration,
        "iteration_best": best,
        "iteration_mean": None,
        **others,
    }


def outcome(iteration: int, best: object, **others: object) -> dict[str, object]:
    """Return the last line of a log, of a run that found ``best`` in its last iteration."""
    done = {"ending": "finished", "reason": "the limit is reached", "details": ""}
    return line(iteration, best, "outcome", **{**done, **others})


def written(
    path: Path,
    lines: Sequence[dict[str, object]],
    *,
    instance: Instance = CITIES,
    session: Session | None = None,
    **choices: Any,
) -> Path:
    """Write a log with ``lines`` below its first one, and return its path."""
    wanted = {"colony": "acs-seq", "seed": 1, **choices}
    stop = StopSettings(iterations=10, go_on=True)
    made = session or new_session(instance, stop=stop, **wanted)
    texts = [json.dumps(one) for one in [header(made, instance), *lines]]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{text}\n" for text in texts), "utf-8")
    return path


def lines_of(path: Path, kind: str) -> list[dict[str, Any]]:
    """Return the lines of one kind of the log at ``path``."""
    lines = map(json.loads, path.read_text().splitlines())
    return [line for line in lines if line["kind"] == kind]
