"""Threads share the parts of the heap, and freed memory goes back to the system."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

GLIBC = pytest.mark.skipif(sys.platform != "linux", reason="it is a setting of glibc")

BEGIN = """
import ctypes, sys, threading
from app.window.process.allocator import give_memory_back
if "given" in sys.argv:
    give_memory_back()
library = ctypes.CDLL(None)
"""

THREADS = """
meet = threading.Barrier(12)
def work():
    kept = [bytearray(5000 + one) for one in range(2000)]
    meet.wait()
threads = [threading.Thread(target=work) for _ in range(12)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
library.malloc_info(0, ctypes.c_void_p.in_dll(library, "stdout"))
library.fflush(None)
"""

PICTURES = """
import os
library.malloc.restype = ctypes.c_void_p
library.malloc.argtypes = [ctypes.c_size_t]
library.free.argtypes = [ctypes.c_void_p]
library.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
def allocated(size):
    place = library.malloc(size)
    library.memset(place, 1, size)
    return place
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
library.free(allocated(8_000_000))  # by default pieces of this size lie in the heap from now on
before, large = resident(), []
for _ in range(10):
    large.append(allocated(7_000_000))
    allocated(100_000)  # stays
for place in large:
    library.free(place)
print(resident() - before)
"""


def _told(program: str, argument: str) -> str:
    """Return what a process prints, which gives memory back if it is called with ``given``."""
    return subprocess.run(
        [sys.executable, "-c", BEGIN + program, argument],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parents[4],
    ).stdout  # fmt: skip


@GLIBC
def test_many_threads_have_few_parts_of_the_heap() -> None:
    own, shared = (_told(THREADS, argument).count("<heap nr=") for argument in ("", "given"))
    assert own > shared
    assert shared <= 2


@GLIBC
def test_large_pieces_go_back_to_the_system_while_small_ones_stay() -> None:
    kept, given = (int(_told(PICTURES, argument)) for argument in ("", "given"))
    assert given < 10_000_000 < kept
