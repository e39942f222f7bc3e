"""Compiled code is found for this processor, or for all of its kind, and never for another."""

import importlib
import platform
from typing import Any

import pytest

from gpu.cpu.processors import LEVELS, Processor, code_name, level

HERE = Processor("x86_64-unknown-linux-gnu", "znver4", "+avx2")


def _double(x: int) -> int:
    return 2 * x


def _triple(x: int) -> int:
    return 3 * x


def test_a_name_stands_for_all_that_the_code_depends_on() -> None:
    name = code_name(_double, ("int64",), HERE)
    assert name == code_name(_double, ("int64",), HERE)
    others = {
        code_name(_triple, ("int64",), HERE),
        code_name(_double, ("float64",), HERE),
        code_name(_double, ("int64",), HERE._replace(name="skylake")),
        code_name(_double, ("int64",), HERE._replace(features="-avx2")),
        code_name(_double, ("int64",), HERE._replace(triple="x86_64-pc-windows-msvc")),
    }
    assert len(others) == 5
    assert name not in others


def test_a_processor_below_the_level_gets_no_code_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    llvm: Any = importlib.import_module("llvmlite.binding")
    features = dict.fromkeys(LEVELS["x86_64"].needs, True)
    monkeypatch.setattr(platform, "machine", lambda: "AMD64")
    for known, name in ((features, "x86-64-v3"), ({**features, "avx2": False}, None)):
        monkeypatch.setattr(llvm, "get_host_cpu_features", lambda known=known: known)
        level.cache_clear()
        found = level()
        assert (found.name if found else None) == name
    monkeypatch.undo()
    level.cache_clear()
