"""Why there is no GPU: each reason one clause that says what to do."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from gpu.core.errors import DeviceError
from gpu.core.machine.devices import find, survey


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


@pytest.mark.parametrize(
    ("failing", "clause"),
    [
        (
            cupy(*TOO_OLD, 12020, 13000),
            "the NVIDIA driver is too old: it supports CUDA 12.2, and the CuPy installed here "
            "needs 13.0; update the driver, or install the CuPy for it with make demo GPU=cuda12",
        ),
        (
            cupy(*TOO_OLD, 11040, 12080),
            "the NVIDIA driver is too old: it supports CUDA 11.4, and the CuPy installed here "
            "needs 12.8; update the driver",
        ),
        (
            cupy(*TOO_OLD, 12020, 12080),
            "the NVIDIA driver is too old: it supports CUDA 12.2, and the CuPy installed here "
            "needs 12.8; update the driver",
        ),
        (
            cupy(*TOO_OLD, 0, 13000),
            "there is no NVIDIA driver: install it, and restart the machine",
        ),
        (cupy(100, "cudaErrorNoDevice", 13000, 13000), "no CUDA GPU found"),
        (
            cupy(802, "cudaErrorSystemNotReady: system not yet initialized", 0, 0, early=True),
            "CUDA reports: cudaErrorSystemNotReady: system not yet initialized; see whether "
            "nvidia-smi finds the GPU",
        ),
    ],
)
def test_an_error_of_cuda_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, failing: ModuleType, clause: str
) -> None:
    monkeypatch.setitem(sys.modules, "cupy", failing)
    found = survey()
    assert found.without_cuda == clause
    assert [device.name for device in found.devices] == ["cpu", "cpu:1"]
    assert find("auto").name == "cpu"
    with pytest.raises(DeviceError) as refused:
        find("cuda:0")
    assert clause in str(refused.value)
    assert "\n" not in str(refused.value)


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
