from __future__ import annotations

from pathlib import Path

import pytest

from gpu import catalog
from tests.gpu.study.studies import TOYS, folder_with


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder with the instances of ``TOML``; the toy family is in the catalog."""
    monkeypatch.setattr(catalog, "CATALOG", (*catalog.CATALOG, *TOYS))
    return folder_with(tmp_path)
