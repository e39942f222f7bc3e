from __future__ import annotations

from pathlib import Path

import pytest

from gpu import catalog
from tests.gpu.studies.toy_studies import TOYS, folder_with


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder with the instances of ``TOML``; the toy family is in the catalog."""
    monkeypatch.setattr(catalog, "CATALOG", (*catalog.CATALOG, *TOYS))
    return folder_with(tmp_path)


@pytest.fixture(scope="module")
def thread_of_dask() -> None:
    """Dask has a thread for all clusters of a process, which lives as long as that."""
    from distributed.utils import _offload_executor

    _offload_executor.submit(int).result()
