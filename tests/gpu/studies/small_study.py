"""A study as a process of its own, quick to start: one process imports, and is forked each time."""

from __future__ import annotations

import multiprocessing
import sys
import threading
from collections.abc import Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path

from gpu.studies.cases import Case
from gpu.studies.design import read_design
from gpu.studies.execution.executor import CaseEvents
from gpu.studies.plan import make_plan
from gpu.studies.store import Store
from gpu.studies.study import Study
from tests.gpu.studies.toy_studies import Inline, add_toys

if sys.platform == "win32":
    _processes = multiprocessing.get_context("spawn")
else:
    _processes = multiprocessing.get_context("forkserver")
    _processes.set_forkserver_preload([__name__, "tests.gpu.studies.warm"])


class Rationed(Inline):
    """Does so many cases, and then waits for ever."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def results(self, cases: Sequence[Case]) -> CaseEvents:
        yield from super().results(cases[: self._most])
        if self._most < len(cases):
            threading.Event().wait()


def started(design: Path, results: Path, most: int = 10**9) -> BaseProcess:
    """Start the study; it does ``most`` runs, and waits."""
    process = _processes.Process(target=_work, args=(design, results, most))
    process.start()
    return process


def _work(design: Path, results: Path, most: int) -> None:
    add_toys()
    plan = make_plan(read_design(design)[0], design.parent)
    with Store(results) as store:
        Study(plan, store, Rationed(most)).run()
