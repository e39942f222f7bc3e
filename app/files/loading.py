"""Slow work of a window that opens, or that opens a file; it is done in another thread."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from app.files.library import find_again
from gpu import catalog
from gpu.core.devices import Survey
from gpu.core.instance import Instance
from gpu.core.snapshot import Wanted
from gpu.problems.bundled import bundled
from gpu.problems.loading import load_instance
from gpu.run.recorded import Recorded, recorded_of
from gpu.run.run_log import read_log


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


def load_any(path: Path) -> tuple[Instance, Recorded | None]:
    """Load an instance, or a recorded run with its instance."""
    if path.suffix in (".json", ".jsonl"):
        log = read_log(path)
        instance = find_again(log.session.instance, path)
        return instance, recorded_of(log, instance)
    return load_instance(path), None
