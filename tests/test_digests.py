"""Digests tell two colonies apart, and a failure is never taken for equality."""

from __future__ import annotations

import pytest

from gpu import catalog
from gpu.core.machine import devices
from tests.digests import FAILED, cases, compare, digest


def test_what_differs_is_missing_or_failed_is_told() -> None:
    before = {"same": "1", "other": "1", "gone": "1", "broken": f"{FAILED}OSError()"}
    after = {"same": "1", "other": "2", "new": "1", "broken": f"{FAILED}OSError()"}
    told = [line.partition(":")[0] for line in compare(before, after)]
    assert told == ["broken", "gone", "new", "other"]


@pytest.mark.parametrize("name", ["acs-seq", "aco-rlf-seq"])
def test_a_digest_repeats_itself_and_depends_on_the_seed(name: str) -> None:
    device = devices.find("cpu:1")
    first, second = [
        case for case in cases(catalog.find(name, device), "cpu:1") if not case.values
    ][:2]
    assert digest(first, device) == digest(first, device)
    assert digest(first, device) != digest(second, device)
