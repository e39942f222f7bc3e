from __future__ import annotations

import pytest

from tests import colonies
from tests.colonies import RandomColony


@pytest.fixture
def random_colony(monkeypatch: pytest.MonkeyPatch) -> str:
    return colonies.install(monkeypatch, RandomColony)
