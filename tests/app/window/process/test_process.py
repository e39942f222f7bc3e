"""The process of the window: its memory, painting and garbage, and how stalls are measured."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from app.notifications import Notifications
from app.window import event_loop
from app.window.application import Application
from app.window.event_loop import STALL_TICK, StallMeter
from gpu.core.errors import DeviceError
from gpu.core.machine import devices
from gpu.core.machine.devices import Survey
from tests.clock import Clock

GLIBC = pytest.mark.skipif(sys.platform != "linux", reason="it is a setting of glibc")

BEGIN = """
import ctypes, sys, threading
from app.window.process import give_memory_back
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


PROGRAM = """
from pathlib import Path
from PySide6.QtCore import QLineF
from PySide6.QtGui import QColor, QImage, QPainter, QPen
from app.window.application import qt_application
qt_application()
image = QImage(2000, 1000, QImage.Format.Format_ARGB32_Premultiplied)
with QPainter(image) as painter:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(0, 0, 255, 120), 3))
    for step in range(100):
        painter.drawLine(QLineF(20 * step, 0, 2000 - 20 * step, 1000))
print([one.read_text().strip() for one in Path("/proc/self/task").glob("*/comm")])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="it looks at threads as Linux shows them")
def test_no_thread_helps_to_paint() -> None:
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    ).stdout
    assert "Thread (pooled)" not in told
    assert "python" in told


def test_garbage_is_looked_for_once_the_window_is_warm(
    qtbot: QtBot, request: pytest.FixtureRequest
) -> None:
    gc.disable()
    try:
        request.getfixturevalue("opened")
        qtbot.waitUntil(gc.isenabled, timeout=250_000)
        assert gc.get_freeze_count() > 10_000  # and not in what has been imported
    finally:
        gc.enable()
        gc.unfreeze()


def test_garbage_is_looked_for_where_no_device_can_be_found(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def survey() -> Survey:
        raise DeviceError("the driver does not answer")

    monkeypatch.setattr(devices, "survey", survey)
    gc.disable()
    try:
        application = Application(Notifications(), tmp_path / "window.json")
        qtbot.addWidget(application.window)
        qtbot.waitUntil(lambda: "driver" in application.window.banner.text)
        assert gc.isenabled()
        assert application.close()
    finally:
        gc.enable()
        gc.unfreeze()


@pytest.mark.parametrize("how", ["sleep", "work"])
def test_a_stall_is_measured_and_work_is_told_from_waiting(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    clock, meter = Clock(monkeypatch, event_loop), StallMeter()
    meter.start()
    QTimer.singleShot(20, lambda: getattr(clock, how)(0.12))
    qtbot.waitUntil(lambda: 0 < meter.share_above(0.1) < 1)
    meter.stop()
    assert meter.longest == pytest.approx(0.12 - STALL_TICK / 1000)
    assert meter.share_above(meter.longest) == 0
    assert meter.most_work == pytest.approx(0.12 if how == "work" else 0)
    meter.start()
    assert meter.longest == 0  # forgotten
    meter.stop()
