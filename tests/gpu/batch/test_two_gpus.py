"""Studies on a machine with two GPUs or more: all of them have work."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu.batch.cluster import LOCAL, ClusterExecutor
from gpu.batch.executor import Executor
from gpu.batch.local import LocalExecutor
from gpu.batch.store import Store, read_results
from gpu.batch.study import Study, StudyProgress
from gpu.core.machine.devices import survey
from tests.gpu.batch.studies import TOML, planned

RUNS = 6


@pytest.mark.cuda
@pytest.mark.usefixtures("thread_of_dask")
@pytest.mark.timeout(300)
@pytest.mark.usefixtures("thread_of_dask")
@pytest.mark.parametrize("where", ["here", "on a cluster"])
def test_every_gpu_has_work(toys: Path, where: str) -> None:
    gpus = [one.name for one in survey().devices if one.kind == "cuda"]
    if len(gpus) < 2:
        pytest.skip("needs two GPUs")
    text = TOML.replace("count = 3", f"count = {RUNS}").replace("iterations = 4", "seconds = 0.5")
    text = text.replace('colony = "toy"', 'colony = "acs-gpu-alt"\ndevice = "cuda"')
    text = text.replace("[2, 3]", "2").replace(', "three.tsp"', "")
    runner: Executor = LocalExecutor() if where == "here" else ClusterExecutor(LOCAL)
    at_once = []

    def changed(progress: StudyProgress) -> None:
        at_once.append(progress.running)

    with Store(toys / "a.sqlite") as store:
        Study(planned(toys, text), store, runner, changed=changed).run()
    rows = read_results(toys / "a.sqlite").rows
    assert [row.error for row in rows] == [""] * RUNS
    assert max(at_once) == min(RUNS, len(gpus))  # each worker of the cluster sees one GPU alone
    if where == "here":
        assert len({row.host["device"] for row in rows}) == min(RUNS, len(gpus))
