from __future__ import annotations

import socket
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from gpu.batch.cases import DONE
from gpu.batch.cluster import ClusterExecutor
from gpu.batch.executor import ExecutorError
from gpu.batch.store import Store
from gpu.batch.study import Study
from tests.gpu.batch.studies import TOML, Inline, planned
from tests.gpu.batch.test_local import LONG, at_work, children
from tests.waiting import until

pytestmark = pytest.mark.usefixtures("thread_of_dask")


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
    with Store(toys / "whole.sqlite") as store:
        Study(planned(toys, text), store, Inline()).run()
        whole = store.results().rows
    assert [(row.state, row.seed, row.best, row.iterations) for row in rows] == [
        (DONE, row.seed, row.best, 800) for row in whole
    ]


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
        monkeypatch.setattr("gpu.batch.cluster.ANSWER", 0.3)
    with server(greeting) as address, Store(toys / "a.sqlite") as store:
        study = Study(planned(toys), store, ClusterExecutor(address))
        with pytest.raises(ExecutorError) as refused:
            study.run()
    assert str(refused.value) == (
        f"{address}: no Dask scheduler answers there ({found}): start it with dask scheduler, and "
        "name the address that it prints"
    )


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
