"""What a worker of a Dask cluster does: it runs where the worker is, perhaps on another machine."""

from __future__ import annotations

import tempfile
import threading
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import gpu
from gpu.batch.plan import PlannedRun
from gpu.batch.record import Record, failed
from gpu.batch.worker import Worker
from gpu.core.errors import sentence_for
from gpu.run.session import InstanceReference, StartReference

AnyReference = TypeVar("AnyReference", InstanceReference, StartReference)

_own = threading.local()  # each thread of a worker has workers of its own


def version() -> str:
    """Return the version of the program here."""
    return gpu.__version__


def perform(run: PlannedRun, instance: bytes, tour: bytes | None) -> Record | None:
    """Do ``run`` in a worker of the cluster; None if nobody wants it any more."""
    from distributed import get_worker

    worker, kind = get_worker(), run.configuration.device
    key = worker.get_current_task()

    def gate() -> bool:  # the cluster's client has cancelled the run, or was killed
        task = worker.state.tasks.get(key)
        return task is not None and task.state != "cancelled"

    if not hasattr(_own, "workers"):
        _own.workers = {}
    doer = _own.workers.setdefault(kind, Worker("cuda:0" if kind == "cuda" else kind))
    try:
        # in the worker's own folder, which Dask removes, too, where this process is killed
        with tempfile.TemporaryDirectory(dir=worker.local_directory) as folder:
            here = _at(Path(folder), run.instance.reference, instance)
            run = replace(run, instance=replace(run.instance, reference=here))
            if run.start is not None and tour is not None:
                run = replace(run, start=_at(Path(folder), run.start, tour))
            record: Record | None = doer.perform(run, gate)
            return record
    except OSError as error:  # the folder cannot be made
        return failed(run.key, sentence_for(error))


def _at(folder: Path, reference: AnyReference, data: bytes) -> AnyReference:
    """Write a file that has travelled; return the reference to it."""
    path = folder / Path(reference.path).name
    path.write_bytes(data)
    return replace(reference, path=str(path))
