"""A study as a process of its own, quick to start: one process imports, and is forked each time."""

from __future__ import annotations

import multiprocessing
import os
import time
from multiprocessing.process import BaseProcess
from pathlib import Path

from gpu.study.design import read_design
from gpu.study.plan import make_plan
from gpu.study.store import Store
from gpu.study.study import Study
from tests.gpu.study.studies import Inline, add_toys

_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload([__name__, "tests.gpu.study.warm"])


def started(design: Path, results: Path) -> BaseProcess:
    """Start the study, in a group of processes of its own."""
    process = _processes.Process(target=_work, args=(design, results))
    process.start()
    assert process.pid is not None
    while process.is_alive() and os.getpgid(process.pid) != process.pid:
        time.sleep(0.001)  # the group is made by the process itself
    return process


def _work(design: Path, results: Path) -> None:
    os.setsid()
    add_toys()
    plan = make_plan(read_design(design)[0], design.parent)
    with Store(results) as store:
        Study(plan, store, Inline()).run()
