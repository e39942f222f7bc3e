"""The question whether a colony fits."""

import pytest

from gpu.core.errors import DeviceMemoryError
from gpu.core.machine.memory import SPARE
from gpu.cpu import main_memory as memory


def test_what_fits_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: SPARE + 100)
    memory.require("it", {"a": 60, "b": 40})
    with pytest.raises(DeviceMemoryError, match="for the a, but only"):
        memory.require("it", {"a": 61, "b": 40})


def test_a_system_that_does_not_say_is_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: None)
    memory.require("it", {"a": 2**60})
