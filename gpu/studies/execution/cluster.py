"""Does cases on a Dask cluster: several GPUs, several machines.

Dask distributes the work, and does the cases of a worker that has died on others. Instances travel
by their contents, because a worker may be on a machine that does not have their files.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import socket
import tempfile
import threading
import time
import uuid
from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import gpu
from gpu.core.errors import DeviceError, InstanceError, sentence_for
from gpu.core.files import read_regular
from gpu.core.machine import devices
from gpu.core.machine.installing import extra_command
from gpu.core.machine.processes import without_interrupts
from gpu.core.machine.processors import usable_cores
from gpu.run.session import InstanceReference, StartReference
from gpu.studies.cases import Case, CaseRecord, failed
from gpu.studies.execution.executor import (
    ATTEMPTS,
    PROCESS_LOST_TWICE,
    RESOURCES,
    CaseEvents,
    Executor,
    ExecutorError,
)
from gpu.studies.execution.worker import Worker

if TYPE_CHECKING:
    from distributed import Client, Future, SpecCluster

SCHEDULER_TICK = 0.02  # seconds after which is looked again for the end of a case
COUNT_EVERY = 1.0  # seconds after which the workers are counted again
JOIN_PATIENCE = 30.0  # seconds for a worker to join the cluster, and for what its client asks
WORKER_PATIENCE = 0.2  # seconds that a worker of this machine has to end by itself
ANSWER = 10.0  # seconds in which a scheduler says what it is

LOCAL = "local"  # stands for a cluster of this machine, which ends with the study
_VISIBLE = "CUDA_VISIBLE_DEVICES"

AnyReference = TypeVar("AnyReference", InstanceReference, StartReference)

_own = threading.local()  # each thread of a worker has workers of its own


class ClusterExecutor(Executor):
    """The workers of the Dask cluster at ``address``; :data:`LOCAL` starts one on this machine.

    A worker does as many cases at once as it has threads, which should be one. Cases on a GPU go to
    workers with the resource GPU, cases on all cores to those with CORES. Where it is paused, no
    more cases begin; those under way go on to their end. ExecutorError if Dask is not
    installed, or the address is none.
    """

    def __init__(self, address: str, processes: int | None = None) -> None:
        try:
            import distributed  # noqa: F401  # is it there?
        except ImportError as error:
            raise ExecutorError(
                "a cluster needs Dask, which is not installed: "
                f"{extra_command('cluster')} installs it"
            ) from error
        if address != LOCAL:
            _place_of(address)
        super().__init__()
        self._address = address
        self._processes = processes
        self._threads = Counter[str]()  # of the workers, by kind of device

    def check(self, cases: Sequence[Case]) -> None:
        """Raise ExecutorError unless a Dask scheduler answers at the address.

        Only the cluster knows what it can do, and more workers may join it at any time.
        """
        if self._address != LOCAL:
            _check_that_a_scheduler_answers(self._address)

    def at_once(self, device: str) -> int:
        """How many cases on this kind of device are done at once."""
        return max(1, self._threads[device])

    @contextmanager
    def _opened(self, kinds: set[str]) -> Iterator[Client]:
        import distributed

        with ExitStack() as stack:
            where: Any = self._address
            if where == LOCAL:
                where = stack.enter_context(local_cluster(kinds, self._processes))
            try:
                client = distributed.Client(where, timeout=JOIN_PATIENCE, set_as_default=False)
            except Exception as error:  # what Dask cannot make sense of, it raises as anything
                raise ExecutorError(
                    f"{self._address}: the Dask scheduler there takes no client of this version of "
                    f"Dask ({' '.join(str(error).split())}): install one version everywhere"
                ) from error
            try:
                self._check_versions(client)
                yield client
            finally:
                client.close(timeout=JOIN_PATIENCE)

    def _results(self, cases: Sequence[Case], place: Client) -> CaseEvents:
        work = _ClusterWork(place, cases, self._threads)
        since = time.monotonic()  # when something was under way, or could be
        try:
            while not self.control.cancelled and work.left:
                work.count()
                if not self.control.paused:
                    yield from work.submit()
                if work.under_way or self.control.paused:
                    since = time.monotonic()
                elif time.monotonic() > since + JOIN_PATIENCE:
                    raise ExecutorError(work.lacking)
                ended = [future for future in work.under_way if future.done()]
                for future in ended:
                    yield work.ended(future)
                if not ended:
                    self.control.wait(SCHEDULER_TICK)
        except (OSError, CancelledError) as error:
            raise ExecutorError(
                f"the cluster at {self._address} no longer answers ({error}): what is finished is "
                "kept, and the same command goes on"
            ) from error
        finally:
            work.end()

    def _check_versions(self, client: Client) -> None:
        """Raise ExecutorError unless every worker has this version of the program."""
        try:
            found = client.run(version)
        except Exception as error:  # what the workers raise: they may know no such module
            raise ExecutorError(
                f"the workers at {self._address} cannot run Formicarium ({error}): install version "
                f"{gpu.__version__} with the extra cluster where they are started"
            ) from error
        if others := sorted({str(one) for one in found.values()} - {gpu.__version__}):
            raise ExecutorError(
                f"the workers at {self._address} have Formicarium {', '.join(others)}, and this is "
                f"{gpu.__version__}: install one version everywhere"
            )


def _place_of(address: str) -> tuple[str, int]:
    """Return host and port of ``address``, or raise ExecutorError."""
    try:
        parts = urlsplit(address)
        if parts.scheme in ("tcp", "tls") and parts.hostname and parts.port:
            parts.hostname.encode("idna")
            return parts.hostname, parts.port
        why: Exception | None = None
    except ValueError as error:
        why = error
    raise ExecutorError(f"--cluster {address}: write it as tcp://HOST:8786, or local") from why


def _check_that_a_scheduler_answers(address: str) -> None:
    """Raise ExecutorError unless a Dask scheduler is at ``address``.

    It is asked without a client: the end of one that met another service would be waited for.
    """
    import distributed
    from distributed.utils import silence_logging_cmgr

    arguments = distributed.Security().get_connection_args("client")
    if urlsplit(address).scheme == "tls" and arguments["ssl_context"] is None:
        raise ExecutorError(
            f"{address}: no certificate is configured for it: set distributed.comm.tls in Dask's "
            "configuration"
        )
    try:
        socket.create_connection(_place_of(address), ANSWER).close()  # Dask would try it repeatedly
        with silence_logging_cmgr(logging.CRITICAL + 1):
            found = asyncio.run(_role(address, arguments))
    except TimeoutError:
        found = f"it has said nothing for {ANSWER:g} s"
    except OSError as error:
        found = error.strerror or "it has hung up"
    if found != "it is a scheduler":
        raise ExecutorError(
            f"{address}: no Dask scheduler answers there ({found}): start it with dask scheduler, "
            "and name the address that it prints"
        )


async def _role(address: str, arguments: Mapping[str, Any]) -> str:
    """Say what the server at ``address`` is: a scheduler, a worker, or another service."""
    from distributed.core import rpc

    async def asked() -> str:
        async with rpc(address, timeout=ANSWER, connection_args=arguments) as server:
            return f"it is a {(await server.identity())['type'].lower()}"

    try:
        return await asyncio.wait_for(asked(), ANSWER)
    except OSError:
        raise
    except Exception:  # any: Dask takes the first bytes for a length, and has no memory for it
        return "it is another service"


class _ClusterWork:
    """Cases that a cluster does; each thread of a worker gets the next when it has ended one."""

    def __init__(self, client: Client, cases: Sequence[Case], threads: Counter[str]) -> None:
        self._client = client
        self._threads = threads  # filled here, for whoever foresees the time
        self._counted = -math.inf
        self._one_by_one = any(case.alone for case in cases)
        self._waiting: dict[str, deque[Case]] = {}
        for case in cases:
            self._waiting.setdefault(case.device, deque()).append(case)
        self.under_way: dict[Future[CaseRecord | None], Case] = {}
        self._contents: dict[str, Future[bytes]] = {}  # of files, by their digest
        self._name = uuid.uuid4().hex

    @property
    def left(self) -> bool:
        """Whether some cases have not ended."""
        return bool(self.under_way) or any(self._waiting.values())

    def count(self) -> None:
        """Count how many cases of each kind of device the workers can do at once."""
        if time.monotonic() < self._counted + COUNT_EVERY:
            return
        self._counted = time.monotonic()
        found, free = Counter[str](), 0
        for worker in self._client.scheduler_info(n_workers=-1)["workers"].values():
            has = {
                device: int(worker.get("resources", {}).get(resource, 0))
                for device, resource in RESOURCES.items()
            }
            found.update(has)
            found["cpu:1"] += worker["nthreads"]
            free += 0 if any(has.values()) else worker["nthreads"]
        found["cpu:1"] = free or found["cpu:1"]  # those for others only where there are no more
        self._threads.clear()
        self._threads.update(found)

    def submit(self) -> CaseEvents:
        """Give every thread that is free its next case."""
        busy = Counter[str](case.device for case in self.under_way.values())
        for device, waiting in self._waiting.items():
            free = min(self._threads[device], 1) if self._one_by_one else self._threads[device]
            for _ in range(min(free - busy[device], len(waiting))):
                case = waiting.popleft()
                yield case, "begun"
                try:
                    instance = self._content(case.instance.reference)
                    tour = None if case.start is None else self._content(case.start)
                except InstanceError as error:
                    yield case, failed(case.key, str(error))
                    continue
                future = self._client.submit(
                    perform,
                    case,
                    instance,
                    tour,
                    key=f"run-{case.key}-{self._name}",
                    resources={RESOURCES[device]: 1} if device in RESOURCES else None,
                    pure=False,
                )
                self.under_way[future] = case

    def ended(self, future: Future[CaseRecord | None]) -> tuple[Case, CaseRecord]:
        """Take in the end of a case."""
        case = self.under_way.pop(future)
        if future.cancelled():
            raise CancelledError("it has given up the runs")
        error = future.exception()
        if error is not None:
            killed = type(error).__name__ == "KilledWorker"
            return case, failed(case.key, PROCESS_LOST_TWICE if killed else sentence_for(error))
        record: CaseRecord | None = future.result()
        if record is None:
            raise CancelledError("a worker has given up a run")
        return case, record

    def end(self) -> None:
        """Give up what is under way."""
        with suppress(OSError, CancelledError):  # the cluster is gone, or its scheduler
            self._client.cancel([*self.under_way, *self._contents.values()])
        self.under_way.clear()

    @property
    def lacking(self) -> str:
        """Which worker the cluster lacks, and how to start one."""
        resource = next(RESOURCES.get(device, "") for device, some in self._waiting.items() if some)
        what = f" with the resource {resource}" if resource else ""
        how = f" --resources {resource}=1" if resource else ""
        return (
            f"the cluster has no worker{what}: start one with dask worker ADDRESS --nthreads 1{how}"
        )

    def _content(self, file: InstanceReference | StartReference) -> Future[bytes]:
        """Return the contents of a file on the cluster, which can make them again from itself."""
        if file.sha256 not in self._contents:
            data = read_regular(Path(file.path), InstanceError)
            key = f"file-{file.sha256}-{self._name}"
            self._contents[file.sha256] = self._client.submit(bytes, data, key=key, pure=False)
        return self._contents[file.sha256]


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
    ending = (worker.close(timeout=WORKER_PATIENCE) for worker in cluster.workers.values())
    await asyncio.gather(*ending, return_exceptions=True)


def _visible_gpus() -> list[str]:
    """Return how CUDA is told to show each GPU alone."""
    found = [one.index for one in devices.survey().devices if one.kind == "cuda"]
    if not found:
        why = devices.survey().without_cuda
        raise DeviceError(f"the study has runs on GPUs, and there is none here ({why})")
    shown = os.environ.get(_VISIBLE, "").split(",")
    return [shown[index] if index < len(shown) and shown[index] else str(index) for index in found]


def version() -> str:
    """Return the version of the program here."""
    return gpu.__version__


def perform(case: Case, instance: bytes, tour: bytes | None) -> CaseRecord | None:
    """Do ``case`` in a worker of the cluster; None if nobody wants it any more."""
    from distributed import get_worker

    worker, kind = get_worker(), case.device
    key = worker.get_current_task()

    def gate() -> bool:  # the cluster's client has cancelled the case, or was killed
        task = worker.state.tasks.get(key)
        return task is not None and task.state != "cancelled"

    if not hasattr(_own, "workers"):
        _own.workers = {}
    doer = _own.workers.setdefault(kind, Worker("cuda:0" if kind == "cuda" else kind))
    try:
        # in the worker's own folder, which Dask removes, too, where this process is killed
        with tempfile.TemporaryDirectory(dir=worker.local_directory) as folder:
            here = _at(Path(folder), case.instance.reference, instance)
            case = replace(case, instance=replace(case.instance, reference=here))
            if case.start is not None and tour is not None:
                case = replace(case, start=_at(Path(folder), case.start, tour))
            record: CaseRecord | None = doer.perform(case, gate)
            return record
    except OSError as error:  # the folder cannot be made
        return failed(case.key, sentence_for(error))


def _at(folder: Path, reference: AnyReference, data: bytes) -> AnyReference:
    """Write a file that has travelled; return the reference to it."""
    path = folder / Path(reference.path).name
    path.write_bytes(data)
    return replace(reference, path=str(path))
