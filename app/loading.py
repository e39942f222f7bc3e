"""What takes long when a window opens a file, or opens itself."""

from __future__ import annotations

import importlib
from pathlib import Path

from app.library import find_again
from app.recorder import RunLog, read_log
from gpu import catalog, devices
from gpu.devices import Survey
from gpu.instances import load
from gpu.instances.instance import TspInstance


def survey_and_warm() -> Survey:
    """Look for devices, and import what the first of them needs before a run waits for it."""
    found = devices.survey()
    for system in catalog.CATALOG:
        if system.runs_on(found.devices[0]):
            module = system.builders[catalog.place_of(found.devices[0])].partition(":")[0]
            importlib.import_module(module)
    return found


def load_any(path: Path) -> tuple[TspInstance, RunLog | None]:
    """Load an instance, or a recorded session with its instance."""
    if path.suffix in (".json", ".jsonl"):
        log = read_log(path)
        return find_again(log.session.instance, path), log
    return load(path), None
