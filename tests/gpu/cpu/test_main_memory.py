"""The question whether a colony fits."""

import pytest

from gpu.core.errors import DeviceMemoryError
from gpu.cpu import main_memory as memory


def test_this_machine_says_how_much_is_free() -> None:
    free = memory.free_memory()
    assert free is None or 2**20 < free < 2**50


def test_what_fits_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: memory.SPARE + 100)
    memory.require("it", {"a": 60, "b": 40})
    with pytest.raises(DeviceMemoryError, match="for the a, but only"):
        memory.require("it", {"a": 61, "b": 40})


def test_a_system_that_does_not_say_is_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: None)
    memory.require("it", {"a": 2**60})


def test_a_container_s_limit_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_available", lambda: 2**40)
    monkeypatch.setattr(memory, "_left_in_group", lambda: 2**20)
    assert memory.free_memory() == 2**20
