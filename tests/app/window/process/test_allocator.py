"""Threads share the parts of the heap."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import ctypes, sys, threading
from app.window.process.allocator import share_arenas
if "shared" in sys.argv:
    share_arenas()
meet = threading.Barrier(12)
def work():
    kept = [bytearray(5000 + one) for one in range(2000)]
    meet.wait()
threads = [threading.Thread(target=work) for _ in range(12)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
library = ctypes.CDLL(None)
library.malloc_info(0, ctypes.c_void_p.in_dll(library, "stdout"))
library.fflush(None)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="it is a setting of glibc")
def test_many_threads_have_few_parts_of_the_heap() -> None:
    counts = []
    for argument in ("own", "shared"):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, argument],
            capture_output=True, text=True, check=True, cwd=Path(__file__).parents[4],
        )  # fmt: skip
        counts.append(done.stdout.count("<heap nr="))
    own, shared = counts
    assert own > shared
    assert shared <= 2
