"""A Dask cluster of this machine: a worker for each GPU, for each core, or for all cores."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gpu.batch.runner import ATTEMPTS, RESOURCES
from gpu.core.errors import DeviceError
from gpu.core.machine import devices
from gpu.core.machine.processes import without_interrupts
from gpu.core.machine.processors import usable_cores

if TYPE_CHECKING:
    from distributed import SpecCluster

PATIENCE = 0.2  # seconds that a worker has to end by itself
_VISIBLE = "CUDA_VISIBLE_DEVICES"


@contextmanager
def local_cluster(kinds: Collection[str], processes: int | None) -> Iterator[SpecCluster]:
    """Start a cluster of this machine for these kinds of devices, and end it afterwards."""
    import dask.config
    from distributed import Nanny, Scheduler, SpecCluster

    plain: dict[str, Any] = {"nthreads": 1, "memory_limit": 0, "dashboard": False}
    wanted: list[dict[str, Any]] = []
    if "cuda" in kinds:
        resources = {RESOURCES["cuda"]: 1}
        wanted += [
            {**plain, "resources": resources, "env": {_VISIBLE: place}} for place in _visible_gpus()
        ]
    if "cpu:1" in kinds:
        wanted += [plain] * (processes or max(1, usable_cores() - len(wanted)))
    if "cpu" in kinds:
        wanted.append({**plain, "resources": {RESOURCES["cpu"]: 1}})
    options = {"host": "127.0.0.1", "port": 0, "dashboard": False, "dashboard_address": None}
    quiet = logging.CRITICAL + 1
    with dask.config.set({"distributed.scheduler.allowed-failures": ATTEMPTS - 1}):
        with without_interrupts():  # the threads that it starts, and their processes, inherit it
            cluster = SpecCluster(
                workers={
                    number: {"cls": Nanny, "options": {**one, "silence_logs": quiet}}
                    for number, one in enumerate(wanted)
                },
                scheduler={"cls": Scheduler, "options": options},
                silence_logs=quiet,
            )
        try:
            yield cluster
        finally:
            cluster.sync(_end_workers, cluster)
            cluster.close()


async def _end_workers(cluster: SpecCluster) -> None:
    """End the processes at once: closing the cluster would wait for runs that nobody wants."""
    ending = (worker.close(timeout=PATIENCE) for worker in cluster.workers.values())
    await asyncio.gather(*ending, return_exceptions=True)


def _visible_gpus() -> list[str]:
    """Return how CUDA is told to show each GPU alone."""
    found = [one.index for one in devices.survey().devices if one.kind == "cuda"]
    if not found:
        why = devices.survey().without_cuda
        raise DeviceError(f"the study has runs on GPUs, and there is none here ({why})")
    shown = os.environ.get(_VISIBLE, "").split(",")
    return [shown[index] if index < len(shown) and shown[index] else str(index) for index in found]
