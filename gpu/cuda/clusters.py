"""Thread-block clusters: what CuPy does not ask the driver, asked of it directly.

A cluster's blocks run at the same time on neighbouring multiprocessors and write into each other's
shared memory; devices have them from compute capability 9.0 on.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from typing import Any

import cupy

CLUSTER_BLOCKS = 16
"""Blocks of a cluster, as ``ONE_CLUSTER`` in cluster.cuh says."""

_FIRST_CAPABILITY = "90"
_NON_PORTABLE = 14
"""``CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED``: more than 8 blocks."""


class _Configuration(ctypes.Structure):
    """``CUlaunchConfig``."""

    _fields_ = (
        *((f"{what}_{axis}", ctypes.c_uint) for what in ("grid", "block") for axis in "xyz"),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p),
        ("attribute_count", ctypes.c_uint),
    )


@functools.cache
def _driver() -> Any:
    return ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")


def cluster_fits(device: Any, function: Any, block: int, shared: int) -> bool:
    """Whether the current device holds such a cluster; if so, ``function`` may be launched as one.

    Parameters
    ----------
    device : cupy.cuda.Device
        The current device.
    function : cupy.cuda.Function
        A kernel of file acs_cluster.cu.
    block : int
        Threads a block.
    shared : int
        Bytes of dynamic shared memory a block, which ``function`` has been allowed.
    """
    if int(device.compute_capability) < int(_FIRST_CAPABILITY):
        return False
    cupy.cuda.driver.funcSetAttribute(function.ptr, _NON_PORTABLE, 1)
    configuration = _Configuration(CLUSTER_BLOCKS, 1, 1, block, 1, 1, shared, None, None, 0)
    clusters = ctypes.c_int()
    status = _driver().cuOccupancyMaxActiveClusters(
        ctypes.byref(clusters), ctypes.c_void_p(function.ptr), ctypes.byref(configuration)
    )
    return bool(status == 0 and clusters.value > 0)
