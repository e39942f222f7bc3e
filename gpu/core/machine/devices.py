"""The processors a colony can run on, and the names users give them."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass
from typing import Literal

import psutil

from gpu.core.arguments import described
from gpu.core.errors import DeviceError
from gpu.core.machine.installing import extra_command, without_python
from gpu.core.machine.processors import model_of_processor, usable_cores
from gpu.core.words import counted


@dataclass(frozen=True, slots=True)
class Device:
    """One place to run a colony."""

    name: str  # what the user types: ``cpu`` (all cores), ``cpu:1`` (one core), ``cuda:0``
    kind: Literal["cpu", "cuda"]  # which of the two it is
    index: int  # number of the GPU; 0 for a CPU
    cores: int  # threads that this process may use at once, or multiprocessors of the GPU
    model: str  # what the maker calls it
    memory: int  # bytes of memory in all
    detail: str = ""  # versions that matter for a log: compute capability, driver, runtime

    def __str__(self) -> str:
        cores = counted(self.cores, "multiprocessor" if self.kind == "cuda" else "core")
        return f"{self.name}: {self.model}, {cores}, {self.memory / 2**30:.1f} GiB"


@dataclass(frozen=True, slots=True)
class Survey:
    """Every device found, and why there is no GPU among them."""

    devices: tuple[Device, ...]  # best first: GPUs, then ``cpu``, then ``cpu:1``
    without_cuda: str  # one clause saying why no GPU can be used; empty where one can


def survey() -> Survey:
    """Look for devices. Never raises; a driver that fails is reported in ``without_cuda``."""
    gpus, reason = _cuda_devices()
    return Survey((*gpus, *_cpu_devices()), reason)


def find(name: str) -> Device:
    """Return the device ``name``, or raise DeviceError; ``auto``: the first GPU, else all cores."""
    if name in ("cpu", "cpu:1"):  # no need to wake a GPU for it
        return next(device for device in _cpu_devices() if device.name == name)
    found = survey()
    wanted = "cuda:0" if name == "cuda" else name
    for device in found.devices:
        if wanted in ("auto", device.name):
            return device
    names = ", ".join(device.name for device in found.devices)
    why = f" ({found.without_cuda})" if found.without_cuda and "cuda" in str(name) else ""
    raise DeviceError(f"there is no device {described(name)}{why}; choose auto, {names}")


def _cpu_devices() -> tuple[Device, ...]:
    model, memory = model_of_processor(), int(psutil.virtual_memory().total)
    detail = f"Python {platform.python_version()}"
    return (
        Device("cpu", "cpu", 0, usable_cores(), model, memory, detail),
        Device("cpu:1", "cpu", 0, 1, model, memory, detail),
    )


def _cuda_devices() -> tuple[list[Device], str]:
    try:
        import cupy
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) and error.name == "cupy":
            missing = f"CuPy is not installed: {extra_command('cuda13')} installs it"
            if without_python():
                missing = f"this folder is for CPUs: {extra_command('cuda13')} is for GPUs, too"
            none = "no CUDA GPU found: there are none for macOS"
            return [], none if sys.platform == "darwin" else missing
        first = next(filter(None, map(str.strip, str(error).splitlines())), "no reason given")
        again = extra_command("cuda13")
        return [], f"CuPy cannot be loaded ({first}): install it again with {again}"
    runtime = cupy.cuda.runtime
    driver = version = 0
    try:
        driver, version = runtime.driverGetVersion(), runtime.runtimeGetVersion()
        count = runtime.getDeviceCount()
    except runtime.CUDARuntimeError as error:
        return [], _why_no_cuda(error.status, str(error), driver, version)
    devices = []
    for index in range(count):
        properties = runtime.getDeviceProperties(index)
        detail = (
            f"compute capability {properties['major']}.{properties['minor']}, "
            f"CUDA {_version(version)}, driver API {_version(driver)}, CuPy {cupy.__version__}"
        )
        devices.append(
            Device(
                f"cuda:{index}",
                "cuda",
                index,
                cores=properties["multiProcessorCount"],
                model=properties["name"].decode(errors="replace"),
                memory=properties["totalGlobalMem"],
                detail=detail,
            )
        )
    return devices, "" if devices else "no CUDA GPU found"


_INSUFFICIENT_DRIVER, _NO_DEVICE = 35, 100


def _why_no_cuda(status: int, text: str, driver: int, runtime: int) -> str:
    """Return what is wrong and what to do about it, in one clause.

    ``driver`` is the newest version that the driver supports, ``runtime`` the one that CuPy was
    made for, as CUDA writes them (12020 is 12.2); 0 where it is not known.
    """
    if status == _NO_DEVICE:
        return "no CUDA GPU found"
    if status != _INSUFFICIENT_DRIVER:
        return f"CUDA reports: {text}; see whether nvidia-smi finds the GPU"
    if not driver:
        return "there is no NVIDIA driver: install it, and restart the machine"
    other = next((major for major in (13, 12) if major <= driver // 1000), None)
    newer = "update the driver"
    if other is not None and other < runtime // 1000:
        newer += f", or install the CuPy for it with {extra_command(f'cuda{other}')}"
    return (
        f"the NVIDIA driver is too old: it supports CUDA {_version(driver)}, and the CuPy "
        f"installed here needs {_version(runtime)}; {newer}"
    )


def _version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"
