"""How much main memory is free."""

import pytest

from gpu.core import memory


def test_this_machine_says_how_much_is_free() -> None:
    free = memory.free_memory()
    assert free is None or 2**20 < free < 2**50


def test_a_container_s_limit_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_available", lambda: 2**40)
    monkeypatch.setattr(memory, "_left_in_group", lambda: 2**20)
    assert memory.free_memory() == 2**20
