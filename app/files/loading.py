"""Slow work of a window that opens, or that opens a file; it is done in another thread."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from app.files.library import find_again
from gpu import catalog
from gpu.core.devices import Survey
from gpu.core.instance import Instance
from gpu.core.snapshot import Wanted
from gpu.problems.bundled import bundled
from gpu.problems.loading import load_instance
from gpu.run.race_file import RecordedRace, is_race, read_race
from gpu.run.race_records import LaneRecord
from gpu.run.run_log import RunLog, read_log


class OpenedRace(NamedTuple):
    """A race from a file, and what its lanes have found."""

    recorded: RecordedRace
    records: Sequence[LaneRecord]  # with their solutions


def warm_up(found: Survey) -> None:
    """Run one iteration on the first device: the user's runs need not wait for imports then."""
    device = found.devices[0]
    system = next(row for row in catalog.CATALOG if row.runs_on(device))
    fitting = (one for one in bundled() if one.problem is system.problem)
    instance = load_instance(min(fitting, key=lambda one: one.n).path)
    parameters = system.parameters().resolved(instance.n)
    with closing(catalog.build(system, instance, parameters, device, seed=1)) as colony:
        colony.iterate(1)
        colony.snapshot(Wanted.EVERYTHING)


def load_any(path: Path) -> tuple[Instance, RunLog | OpenedRace | None]:
    """Load an instance, or a recorded session or race with its instance."""
    if path.suffix == ".json" and is_race(path):
        recorded = read_race(path)
        instance = find_again(recorded.race.instance, path)
        return instance, OpenedRace(recorded, recorded.with_solutions(instance))
    if path.suffix in (".json", ".jsonl"):
        log = read_log(path)
        return find_again(log.session.instance, path), log
    return load_instance(path), None
