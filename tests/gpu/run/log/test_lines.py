from __future__ import annotations

import json

from gpu.core.snapshot import Snapshot
from gpu.run.log.lines import numbers
from tests.colonies import some_cities


def test_what_is_not_known_is_null() -> None:
    found = numbers(some_cities(), Snapshot(0, 0, None, 0, None, float("nan")))
    assert found["best"] is None
    assert found["gap_percent"] is None
    assert found["local_hits"] is None
    json.dumps(found, allow_nan=False)
