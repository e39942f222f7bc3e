from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def thread_of_dask() -> None:
    """Dask has a thread for all clusters of a process, which lives as long as that."""
    from distributed.utils import _offload_executor

    _offload_executor.submit(int).result()
