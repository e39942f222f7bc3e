"""Why there is no GPU: each reason one clause that says what to do."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from gpu.core.errors import DeviceError
from gpu.core.machine.devices import find, survey
from tests.golden import Golden


class CUDARuntimeError(RuntimeError):
    """As CuPy has it."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


def cupy(status: int, text: str, driver: int, runtime: int, *, early: bool = False) -> ModuleType:
    """Return a CuPy whose CUDA fails with ``status`` at the first question about devices."""

    def fail() -> int:
        raise CUDARuntimeError(status, text)

    module: Any = ModuleType("cupy")
    module.cuda = SimpleNamespace(
        runtime=SimpleNamespace(
            CUDARuntimeError=CUDARuntimeError,
            getDeviceCount=fail,
            driverGetVersion=fail if early else lambda: driver,
            runtimeGetVersion=lambda: runtime,
        )
    )
    return module  # type: ignore[no-any-return]


TOO_OLD = (35, "cudaErrorInsufficientDriver: CUDA driver version is insufficient")


FAILING = [
    cupy(*TOO_OLD, 12020, 13000),
    cupy(*TOO_OLD, 11040, 12080),
    cupy(*TOO_OLD, 12020, 12080),
    cupy(*TOO_OLD, 0, 13000),
    cupy(100, "cudaErrorNoDevice", 13000, 13000),
    cupy(802, "cudaErrorSystemNotReady: system not yet initialized", 0, 0, early=True),
]


def test_an_error_of_cuda_says_what_to_do(monkeypatch: pytest.MonkeyPatch, golden: Golden) -> None:
    clauses = []
    for failing in FAILING:
        monkeypatch.setitem(sys.modules, "cupy", failing)
        found = survey()
        clauses.append(found.without_cuda)
        assert [device.name for device in found.devices] == ["cpu", "cpu:1"]
        assert find("auto").name == "cpu"
        with pytest.raises(DeviceError) as refused:
            find("cuda:0")
        assert found.without_cuda in str(refused.value)
        assert "\n" not in str(refused.value)
    golden("errors-of-cuda", "\n".join(clauses))


def test_without_cupy_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert "make demo GPU=cuda13" in survey().without_cuda


def test_a_cupy_that_cannot_be_loaded_is_told_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Broken:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "cupy":
                raise ImportError("\n====\nlibnvrtc.so.13: cannot open shared object file\n")

    monkeypatch.delitem(sys.modules, "cupy", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Broken(), *sys.meta_path])
    clause = survey().without_cuda
    assert "cannot be loaded" in clause
    assert "make demo GPU=cuda13" in clause
    assert "\n" not in clause
