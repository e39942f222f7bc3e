from __future__ import annotations

import os
import signal
import socket
import sys
from pathlib import Path

import pytest

from gpu.study.results import DONE
from gpu.study.store import Store
from gpu.study.study import Study
from gpu.study.workers.cluster import ClusterRunner
from gpu.study.workers.runner import RunnerError
from tests.gpu.study.studies import TOML, Inline, planned
from tests.gpu.study.workers.test_local import LONG, at_work, children, until

pytestmark = pytest.mark.usefixtures("thread_of_dask")


def test_a_worker_that_is_killed_costs_no_run(toys: Path) -> None:
    text = TOML.replace("iterations = 4", "iterations = 800").replace(', "three.tsp"', "")
    with Store(toys / "a.sqlite") as store:
        study = Study(planned(toys, text), store, ClusterRunner("local", 2))
        with at_work(study):
            until(lambda: study.progress.done >= 1)
            assert study.progress.running
            os.kill(children()[0], signal.SIGKILL)
            until(lambda: study.progress.complete)
        rows = store.results().rows
    assert children() == []
    with Store(toys / "whole.sqlite") as store:
        Study(planned(toys, text), store, Inline()).run()
        whole = store.results().rows
    assert [(row.state, row.seed, row.best, row.iterations) for row in rows] == [
        (DONE, row.seed, row.best, 800) for row in whole
    ]


def test_what_runs_is_given_up_if_it_is_cancelled(toys: Path) -> None:
    with Store(toys / "a.sqlite") as store:
        study = Study(planned(toys, LONG), store, ClusterRunner("local", 1))
        with at_work(study):
            until(lambda: study.progress.running == 1)
        assert children() == []
        assert store.counts()["waiting"] == 1


def test_a_cluster_that_is_not_there_is_a_sentence(
    toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpu.study.workers.cluster.PATIENCE", 0.5)
    with Store(toys / "a.sqlite") as store:
        study = Study(planned(toys), store, ClusterRunner("tcp://127.0.0.1:9"))
        with pytest.raises(RunnerError, match="no Dask scheduler answers"):
            study.run()
    with socket.create_server(("127.0.0.1", 0)) as silent, Store(toys / "b.sqlite") as store:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(RunnerError, match="no Dask scheduler answers"):
            Study(planned(toys), store, ClusterRunner(address)).run()
    for address in ("nowhere:x", "tcp://[", "", "tcp://a:99999", f"tcp://{'a' * 300}:8786"):
        with pytest.raises(RunnerError, match="write it as tcp://HOST:8786, or local"):
            ClusterRunner(address)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(RunnerError, match=r"pip install 'formicarium\[cluster\]'"):
        ClusterRunner("local")
