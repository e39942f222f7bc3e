"""Threads that run one compiled function together."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from gpu.core.errors import DeviceError


class ThreadPool:
    """The calling thread and ``size - 1`` more, which wait between calls.

    Raises
    ------
    DeviceError
        If the system does not grant the threads.
    """

    def __init__(self, size: int) -> None:
        self._pool: ThreadPoolExecutor | None = None
        if size > 1:
            self._pool = ThreadPoolExecutor(size - 1, thread_name_prefix="colony")
            # They wait for each other in compiled code, so all must exist before any starts.
            everyone = threading.Barrier(size)
            try:
                for _ in range(size - 1):
                    self._pool.submit(everyone.wait)
            except RuntimeError as error:
                everyone.abort()
                self.close()
                raise DeviceError(
                    f"the system grants no {size} threads ({error}); choose the device cpu:1"
                ) from None
            everyone.wait()

    def run(self, work: Callable[[int], None], workers: int) -> None:
        """Call ``work(thread)`` for threads 0 to ``workers - 1``; return when all have returned."""
        pool, others = self._pool, range(1, workers)
        futures = [pool.submit(work, thread) for thread in others] if pool else []
        work(0)
        for future in futures:
            future.result()

    def close(self) -> None:
        """End the threads; more calls do nothing."""
        if self._pool:
            self._pool.shutdown()
