"""Many runs at once on one GPU: the deterministic colonies find what each of them finds alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from gpu import catalog
from gpu.core.machine import devices
from gpu.core.machine.devices import survey
from gpu.problems.coloring.dimacs import write_graph
from gpu.problems.loading import load_instance
from gpu.run.run import Run
from gpu.run.session import new_session
from gpu.studies.cases import Case, digest_of
from gpu.studies.execution.cluster import LOCAL, ClusterExecutor
from gpu.studies.execution.executor import CaseEvents, Executor
from gpu.studies.execution.local import LocalExecutor
from gpu.studies.execution.worker import InProcess, Worker
from gpu.studies.plan import Plan
from gpu.studies.store import Store, read_results
from gpu.studies.study import Study, StudyProgress
from tests.gpu.cuda.emulated import EMULATED_GPU, emulate_gpu
from tests.gpu.rlf.literal import random_graph
from tests.gpu.studies.toy_studies import TOML, planned, write_tsp

GPU = "cuda:0"
AT_ONCE = 8

TOURS = (
    ("acs-gpu", ""),
    ("acs-gpu", "local_search = '2opt+oropt'"),
    ("acs-gpu-alt", "ants = 1"),  # with more, updates are lost
    ("acs-gpu-spm", "ants = 1"),
    ("as-st-dynamic", ""),
    ("mmas-rwm-bt-cl", ""),
    ("mmas-wrs-ct", ""),
    ("faco-gpu", ""),
    ("focused-gpu", ""),
    ("crossing-gpu", ""),
)
COLORINGS = (("aco-rlf-hybrid", ""), ("aco-rlf-tabu", ""))

Found = dict[str, tuple[int, int, int, str]]
"""Cost, the iteration that found it, iterations and the solution's digest, by the run's key."""


def plan_of(
    folder: Path,
    cities: Sequence[int],
    vertices: int,
    colonies: Sequence[tuple[str, str]],
    seeds: int,
    iterations: int,
) -> Plan:
    """Return a study of ``colonies``, with some of their parameters, on instances made here."""
    names = [f"{n}.tsp" for n in cities]
    for n, name in zip(cities, names, strict=True):
        places = [(number * 7919 % 1009, number * 104729 % 997) for number in range(1, n + 1)]
        write_tsp(folder / name, places)
    graph = random_graph(vertices, 0.5)
    write_graph(folder / f"{graph.name}.col", graph)
    text = f"instances = {[*names, f'{graph.name}.col']}\nseeds = {{ count = {seeds} }}\n"
    text += f"[budget]\niterations = {iterations}\ngo_on = true\n"
    for number, (colony, values) in enumerate(colonies):
        on = [graph.name] if "rlf" in colony else [str(n) for n in cities]
        text += (
            f"[[colony]]\nlabel = '{number}'\ncolony = '{colony}'\ndevice = 'cuda'\n"
            f"instances = {on}\nparameters = {{ {values} }}\n"
        )
    return planned(folder, text)


def by_colony(plan: Plan) -> Plan:
    """All seeds of a colony one after the other, so that they run at the same time."""
    return replace(plan, cases=tuple(sorted(plan.cases, key=lambda run: run.configuration.label)))


def alone(plan: Plan) -> Found:
    """Do each run by itself, as ``formicarium solve`` does, but from no tour."""
    found: Found = {}
    for run in plan.cases:
        instance = load_instance(Path(run.instance.reference.path))
        session = new_session(
            instance,
            colony=run.configuration.colony,
            device=GPU,
            parameters=run.configuration.parameters,
            seed=run.seed,
            stop=run.budget,
        )
        state = Run(instance, replace(session, begins=False)).finish().state
        assert state.best_solution is not None
        assert state.best_cost is not None
        digest = digest_of(state.best_solution)
        found[run.key] = state.best_cost, state.best_iteration, state.iteration, digest
    return found


def studied(plan: Plan, executor: Executor, file: Path) -> tuple[Found, int]:
    """Do the study; return what its file has then, and the most runs that were under way."""
    most = 0

    def changed(progress: StudyProgress) -> None:
        nonlocal most
        most = max(most, progress.running)

    with Store(file) as store:
        Study(plan, store, executor, changed=changed).run()
        assert [row.error for row in store.results().rows] == [""] * len(plan.cases)
    with closing(sqlite3.connect(file)) as results:
        rows = results.execute(
            "SELECT key, best, best_iteration, iterations, solution_sha256 FROM runs"
        )
        return {key: (*numbers, digest) for key, *numbers, digest in rows}, most


@pytest.mark.cuda
@pytest.mark.timeout(600)
def test_runs_at_once_on_a_gpu_find_what_each_finds_alone(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, (60, 300), 90, (*TOURS, *COLORINGS), seeds=4, iterations=20)
    expected = alone(plan)
    for name, runs, at_once in (
        ("one after the other", plan, 1),
        ("colonies mixed", plan, AT_ONCE),
        ("seeds of a colony", by_colony(plan), AT_ONCE),
    ):
        executor = LocalExecutor(gpu_runs=at_once)
        found, most = studied(runs, executor, tmp_path / f"{name}.sqlite")
        assert found == expected, name
        assert most == executor.at_once("cuda")  # of each GPU, where there are several


class Threads(InProcess):
    """Does cases on a GPU as the process for one does: at once, each in a thread."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.room = room

    def at_once(self, device: str) -> int:
        return self.room

    def results(self, cases: Sequence[Case]) -> CaseEvents:
        worker = Worker(GPU)
        with ThreadPoolExecutor(self.room) as threads:
            for first in range(0, len(cases), self.room):
                under_way = {}
                for case in cases[first : first + self.room]:
                    yield case, "begun"
                    under_way[threads.submit(worker.perform, case, lambda: True)] = case
                for ended in as_completed(under_way):
                    yield under_way[ended], ended.result()


@pytest.fixture
def emulation(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU whose kernels run on the emulation."""
    emulate_gpu(monkeypatch)
    find = devices.find
    monkeypatch.setattr(devices, "find", lambda name: EMULATED_GPU if name == GPU else find(name))


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("colony", ["acs-gpu", "mmas-wrs-ct", "focused-gpu", "aco-rlf-hybrid"])
def test_runs_at_once_in_the_emulation_find_what_each_finds_alone(
    tmp_path: Path, colony: str
) -> None:
    small = [(colony, "ants = 4")]
    plan = plan_of(tmp_path, (30,), 20, small, seeds=4, iterations=3)
    assert catalog.named(colony).deterministic
    expected = alone(plan)
    for room in (1, 4):
        found, most = studied(plan, Threads(room), tmp_path / f"{room}.sqlite")
        assert found == expected
        assert most == room


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
    executor: Executor = LocalExecutor() if where == "here" else ClusterExecutor(LOCAL)
    at_once = []

    def changed(progress: StudyProgress) -> None:
        at_once.append(progress.running)

    with Store(toys / "a.sqlite") as store:
        Study(planned(toys, text), store, executor, changed=changed).run()
    rows = read_results(toys / "a.sqlite").rows
    assert [row.error for row in rows] == [""] * RUNS
    assert max(at_once) == min(RUNS, len(gpus))  # each worker of the cluster sees one GPU alone
    if where == "here":
        assert len({row.host["device"] for row in rows}) == min(RUNS, len(gpus))
