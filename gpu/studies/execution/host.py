"""Where a run takes place, so that its result can be judged: program, device, driver, versions."""

from __future__ import annotations

import functools
import platform
from collections.abc import Mapping
from typing import Any

import gpu
from gpu.core.machine import processes
from gpu.core.machine.checkout import commit, said
from gpu.core.machine.devices import Device


def host_of(device: Device, at_once: Mapping[str, int]) -> Mapping[str, Any]:
    """Return a description of ``device`` and of what runs on it, ready for JSON.

    ``at_once`` says how many runs of the study were done at the same time, by kind of device.
    """
    return {
        "version": gpu.__version__,
        "commit": commit(),
        "device": device.name,
        "model": device.model,
        "cores": device.cores,
        "memory": device.memory,
        "detail": device.detail,
        "driver": _driver() if device.kind == "cuda" else "",
        "system": processes.machine(),
        "machine": platform.node(),
        "at_once": dict(at_once),
        "versions": processes.versions(),
    }


@functools.cache
def _driver() -> str:
    """Return the version of NVIDIA's driver."""
    told = said("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
    return next(iter(told.split()), "")
