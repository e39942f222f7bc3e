"""Cases in processes of this machine, and on a cluster."""

from __future__ import annotations

import errno
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

import psutil
import pytest

from gpu.core.errors import DeviceError, ParameterError
from gpu.core.machine import processes
from gpu.studies.cases import DONE, FAILED, CaseRecord
from gpu.studies.execution.cluster import ClusterExecutor
from gpu.studies.execution.executor import PROCESS_LOST_TWICE, ExecutorError
from gpu.studies.execution.local import LocalExecutor, WorkerProcess
from gpu.studies.store import Store
from gpu.studies.study import Study
from tests.gpu.studies.toy_studies import TOML, planned, studied
from tests.waiting import until

LONG = (
    TOML.replace("count = 3", "count = 1")
    .replace("iterations = 4", "iterations = 1_000_000_000")
    .replace("[2, 3]", "2")
    .replace(', "three.tsp"', "")
)


@contextmanager
def at_work(study: Study) -> Iterator[None]:
    """Run ``study`` in another thread; cancel it at the end."""
    thread = threading.Thread(target=study.run)
    thread.start()
    try:
        yield
    finally:
        study.cancel()
        thread.join()


def children() -> list[int]:
    """The processes for runs."""
    found = []
    for process in psutil.Process().children():
        with suppress(psutil.Error):  # it has just ended
            if "spawn_main" in " ".join(process.cmdline()):
                found.append(process.pid)
    return found


def seconds_of(process: int) -> float:
    """Time of processors that a process has used."""
    times = psutil.Process(process).cpu_times()
    return float(times.user + times.system)


def test_processes_do_all_runs_whatever_their_number(toys: Path) -> None:
    found = [studied(toys, TOML, LocalExecutor(number), str(number)) for number in (1, 2)]
    assert children() == []
    for one, other in zip(*found, strict=True):
        assert (one.state, one.iterations) == (DONE, 4)
        assert (one.seed, one.best) == (other.seed, other.best)
        assert one.host["device"] == "cpu:1"


ALONE = (
    TOML.replace("count = 3", "count = 2")
    + """
[[colony]]
label = "few"
colony = "toy"
alone = true
"""
)


@pytest.mark.usefixtures("thread_of_dask")
@pytest.mark.parametrize("kind", ["local", "cluster"])
def test_nothing_runs_beside_a_run_that_is_alone(toys: Path, kind: str) -> None:
    executor = LocalExecutor(2) if kind == "local" else ClusterExecutor("local", 2)
    cases = planned(toys, ALONE).cases
    under_way: set[str] = set()
    alone = {case.key: case.alone for case in cases}
    ended = []
    for case, event in executor.results(cases):
        if event == "begun":
            assert not any(alone[key] for key in under_way)
            assert not (under_way and case.alone)
            under_way.add(case.key)
        else:
            assert isinstance(event, CaseRecord)
            under_way.remove(case.key)
            ended.append((case.configuration.label, event))
    assert len(ended) == len(cases) == 12
    assert [label for label, _ in ended[-4:]] == ["few"] * 4  # after all others
    assert {record.state for _, record in ended} == {DONE}
    if kind == "local":
        assert [record.host["at_once"]["cpu:1"] for _, record in ended] == [2] * 8 + [1] * 4


def test_a_run_waits_and_is_given_up_as_told(toys: Path) -> None:
    with Store(toys / "a.sqlite") as store:
        study = Study(planned(toys, LONG), store, LocalExecutor(1))
        with at_work(study):
            until(lambda: bool(children()) and study.progress.running == 1)
            (process,) = children()
            begun = seconds_of(process) + 1.0
            until(lambda: seconds_of(process) > begun)
            study.pause()
            assert study.progress.paused

            def idle() -> bool:
                before = seconds_of(process)
                time.sleep(0.3)  # a process at work would use some of it, however busy the others
                return seconds_of(process) == before

            until(idle)
            before = seconds_of(process)
            study.go_on()
            until(lambda: seconds_of(process) > before + 0.1)
        assert children() == []
        assert store.counts()["waiting"] == 1


def test_a_run_may_cost_two_processes(toys: Path) -> None:
    with Store(toys / "a.sqlite") as store:
        study = Study(planned(toys, LONG), store, LocalExecutor(1))
        with at_work(study):
            killed: list[int] = []
            for _ in range(2):
                until(lambda: bool(set(children()) - set(killed)))
                (process,) = set(children()) - set(killed)
                psutil.Process(process).kill()
                killed.append(process)
            until(lambda: study.progress.failed == 1)
        (row,) = store.results().rows
    assert (row.state, row.error) == (FAILED, PROCESS_LOST_TWICE)


def test_more_processes_are_waited_for_than_the_system_can_at_once(
    toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, where a study on 32 cores has 64 things to wait for."""
    usual = connection.wait

    def wait(sources: Sequence[Any], timeout: float | None = None) -> list[Any]:
        if len(sources) > 3:
            raise ValueError(f"need at most 3 handles, got a sequence of length {len(sources)}")
        return usual(sources, timeout)

    monkeypatch.setattr(connection, "wait", wait)
    monkeypatch.setattr(processes, "MOST_PIPES", 3)
    rows = studied(toys, executor=LocalExecutor(2))
    assert [row.state for row in rows] == [DONE] * 12


def test_a_process_does_several_runs_at_once_and_again_alone_if_it_ends(
    toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one for a GPU does."""
    found = []
    for room in (1, 3):
        workers = [WorkerProcess("cpu:1", "cpu:1", room)]
        monkeypatch.setattr(LocalExecutor, "_workers", lambda *_, workers=workers: workers)
        rows = studied(toys, TOML, LocalExecutor(1), str(room))
        found.append([(row.label, row.seed, row.state, row.best) for row in rows])
    assert found[0] == found[1]
    with Store(toys / "long.sqlite") as store:
        study = Study(
            planned(toys, LONG.replace("count = 1", "count = 4")), store, LocalExecutor(1)
        )
        with at_work(study):
            until(lambda: bool(children()) and study.progress.running == 3)
            (process,) = children()
            psutil.Process(process).kill()
            until(lambda: bool(set(children()) - {process}))
            until(lambda: study.progress.running == 1)
        assert store.counts()["waiting"] == 4


def test_what_this_machine_cannot_do_is_refused(
    toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for numbers in ((0, 1), (None, -1)):
        with pytest.raises(ParameterError, match="must be at least 1"):
            LocalExecutor(*numbers)
    monkeypatch.setattr(LocalExecutor, "_cuda", lambda self: ())
    text = TOML.replace('"toy"\nparameters = { ants = [2, 3] }', '"acs"\ndevice = "cuda"')
    with pytest.raises(DeviceError, match="the study has runs on GPUs, and there is none here"):
        LocalExecutor().check(planned(toys, text).cases)


def test_a_machine_without_room_for_a_process_is_a_sentence(
    toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(process: SpawnProcess) -> None:
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(SpawnProcess, "start", full)
    with Store(toys / "a.sqlite") as store:
        study = Study(planned(toys), store, LocalExecutor(1))
        with pytest.raises(ExecutorError, match="no process for cpu:1 can be started"):
            study.run()
        assert store.counts()["waiting"] == 12


@pytest.mark.usefixtures("thread_of_dask")
def test_a_worker_that_is_killed_costs_no_run(toys: Path) -> None:
    text = TOML.replace("iterations = 4", "iterations = 800").replace(', "three.tsp"', "")
    with Store(toys / "a.sqlite") as store:
        study = Study(planned(toys, text), store, ClusterExecutor("local", 2))
        with at_work(study):
            until(lambda: study.progress.done >= 1)
            assert study.progress.running
            psutil.Process(children()[0]).kill()
            until(lambda: study.progress.complete)
        rows = store.results().rows
    assert children() == []
    whole = studied(toys, text, name="whole")
    assert [(row.state, row.seed, row.best, row.iterations) for row in rows] == [
        (DONE, row.seed, row.best, 800) for row in whole
    ]


@pytest.mark.usefixtures("thread_of_dask")
def test_what_runs_is_given_up_if_it_is_cancelled(
    toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = toys / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))  # of the workers, whose processes are killed
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))  # of Dask in this process
    with Store(toys / "a.sqlite") as store:
        study = Study(planned(toys, LONG), store, ClusterExecutor("local", 1))
        with at_work(study):
            until(lambda: any(scratch.rglob("*.tsp")))
        assert children() == []
        assert not any(scratch.rglob("*.tsp"))
        assert store.counts()["waiting"] == 1


@contextmanager
def server(greeting: bytes) -> Iterator[str]:
    """A service that greets whoever connects, and reads what it is sent until that hangs up."""

    def serve() -> None:
        with suppress(OSError):
            while True:
                line, _ = listening.accept()
                with line, suppress(OSError):
                    line.sendall(greeting)
                    while greeting != HANGS_UP and line.recv(4096):
                        pass

    with socket.create_server(("127.0.0.1", 0)) as listening:
        serving = threading.Thread(target=serve)
        serving.start()
        yield f"tcp://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
    serving.join()


HANGS_UP = b"x"


@pytest.mark.usefixtures("thread_of_dask")
@pytest.mark.parametrize(
    ("greeting", "found"),
    [
        (b"SSH-2.0-OpenSSH_9.6\r\n", "it is another service"),
        (b"220 mail.example ESMTP ready\r\n", "it is another service"),
        (b"J\0\0\0\n8.0.36\0\x08\0\0\0abcdefgh\0\xff\xff\xff\2\0", "it is another service"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "it is another service"),
        (bytes(64), "it is another service"),
        (HANGS_UP, "it has hung up"),
        (b"", "it has said nothing for 0.3 s"),
    ],
)
def test_another_service_at_the_address_is_a_sentence(
    toys: Path, monkeypatch: pytest.MonkeyPatch, greeting: bytes, found: str
) -> None:
    if not greeting:
        monkeypatch.setattr("gpu.studies.execution.cluster.ANSWER", 0.3)
    with server(greeting) as address, Store(toys / "a.sqlite") as store:
        study = Study(planned(toys), store, ClusterExecutor(address))
        with pytest.raises(ExecutorError) as refused:
            study.run()
    assert str(refused.value) == (
        f"{address}: no Dask scheduler answers there ({found}): start it with dask scheduler, and "
        "name the address that it prints"
    )


@pytest.mark.usefixtures("thread_of_dask")
def test_an_address_without_a_scheduler_is_a_sentence(
    toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(toys / "a.sqlite") as store, socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        taken.close()
        with pytest.raises(ExecutorError, match=r"answers there \(Connection refused\)"):
            Study(planned(toys), store, ClusterExecutor(address)).run()
        with pytest.raises(ExecutorError, match="no certificate is configured"):
            Study(planned(toys), store, ClusterExecutor(address.replace("tcp", "tls"))).run()
    for address in ("nowhere:x", "tcp://[", "", "tcp://a:99999", f"tcp://{'a' * 300}:8786"):
        with pytest.raises(ExecutorError, match="write it as tcp://HOST:8786, or local"):
            ClusterExecutor(address)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ExecutorError, match=r"pip install 'formicarium\[cluster\]'"):
        ClusterExecutor("local")
