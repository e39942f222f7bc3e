"""How much main memory is free."""

from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from gpu.core.machine import memory


def test_this_machine_says_how_much_is_free() -> None:
    free = memory.free_memory()
    assert 2**20 < free < 2**50


def test_a_container_s_limit_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=2**40))
    monkeypatch.setattr(memory, "_left_in_group", lambda: 2**20)
    assert memory.free_memory() == 2**20


def test_cached_files_of_a_container_are_free(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(memory, "CONTROL_GROUP", tmp_path)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=2**40))
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("900\n")
    (tmp_path / "memory.stat").write_text("anon 100\ninactive_file 700\n")
    assert memory.free_memory() == 800
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.free_memory() == 2**40
