"""What belongs to the whole process: Qt's libraries, garbage, signals, stalls."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.notifications import Notifications
from app.window import event_loop
from app.window.application import Application
from app.window.event_loop import STALL_TICK, StallMeter
from app.window.qt_libraries import MissingLibraryError, check_qt, platforms_here, sentence_of
from gpu.core.errors import DeviceError
from gpu.core.machine import devices
from gpu.core.machine.compiling import COMPILING
from gpu.core.machine.devices import Survey
from gpu.run.log.run_log import read_log
from tests import processes
from tests.clock import Clock
from tests.waiting import PATIENCE, until

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
from app.window.qt_application import qt_application
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
    told = _told(PROGRAM, "")
    assert "Thread (pooled)" not in told
    assert "python" in told


@pytest.fixture
def garbage_stays() -> Iterator[None]:
    """Nobody looks for garbage, as where the program begins."""
    gc.disable()
    yield
    gc.enable()
    gc.unfreeze()


@pytest.mark.usefixtures("garbage_stays", "opened")
def test_garbage_is_looked_for_once_the_window_is_warm(qtbot: QtBot) -> None:
    qtbot.waitUntil(gc.isenabled, timeout=250_000)
    assert gc.get_freeze_count() > 10_000  # and not in what has been imported


@pytest.mark.usefixtures("garbage_stays")
def test_garbage_is_looked_for_where_no_device_can_be_found(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def survey() -> Survey:
        raise DeviceError("the driver does not answer")

    monkeypatch.setattr(devices, "survey", survey)
    application = Application(Notifications(), tmp_path / "window.json")
    qtbot.addWidget(application.window)
    qtbot.waitUntil(lambda: "driver" in application.window.banner.text)
    assert gc.isenabled()
    assert application.close()
    application.deleteLater()


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


@pytest.mark.parametrize(
    ("error", "listing", "sentence"),
    [
        (
            "libEGL.so.1: cannot open shared object file: No such file or directory",
            "",
            "Qt needs libEGL.so.1: install with sudo apt-get install libegl1",
        ),
        (
            "libxcb-cursor.so.0: cannot open shared object file: No such file or directory",
            "\tlibxcb-cursor.so.0 => not found\n\tlibxkbcommon.so.0 => not found\n"
            "\tlibc.so.6 => /lib/libc.so.6 (0x0)\n",
            "Qt needs libxcb-cursor.so.0, libxkbcommon.so.0: install with "
            "sudo apt-get install libxcb-cursor0 libxkbcommon0",
        ),
        (
            "libodd.so.9: cannot open shared object file: No such file or directory",
            "",
            "Qt needs libodd.so.9: install the packages that have them (libodd.so.9)",
        ),
        ("bad.so: invalid ELF header", "", "Qt cannot be loaded (bad.so: invalid ELF header)"),
    ],
)
def test_a_missing_library_is_named_with_its_package(
    error: str, listing: str, sentence: str
) -> None:
    assert sentence_of(error, listing).startswith(sentence)


def test_qt_loads_here() -> None:
    check_qt(("offscreen",))
    check_qt(("no-such-platform",))  # Qt will say so itself, and which there are


def test_a_library_that_cannot_be_loaded_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "PySide6"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "QtCore.abi3.so").write_text("not a library")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "PySide6")
    with pytest.raises(MissingLibraryError, match="reinstall PySide6-Essentials"):
        check_qt(("offscreen",))


@pytest.mark.parametrize(
    ("environment", "platforms"),
    [
        ({}, ("offscreen",)),
        ({"DISPLAY": ":0"}, ("xcb",)),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, ("wayland", "xcb")),
        ({"QT_QPA_PLATFORM": "offscreen:size=800x600", "DISPLAY": ":0"}, ("offscreen",)),
        ({"QT_QPA_PLATFORM": "wayland;xcb"}, ("wayland", "xcb")),
    ],
)
def test_the_platform_follows_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], platforms: tuple[str, ...]
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert platforms_here() == platforms


_RUN = """
import sys
from pathlib import Path
from app.window import application, launch

make = application.Application
def begin(*arguments, first):
    made = make(*arguments, first=first, log_path=lambda session: Path(sys.argv[2]))
    def start():
        setup = made.window.setup
        setup.colony.devices.setCurrentIndex(setup.colony.devices.findData("cpu:1"))
        setup.colony.devices.activated.emit(setup.colony.devices.currentIndex())
        setup.stop.set_values({"go_on": True})
        made.run_controller.start()
    made.files.ready.connect(start)
    return made
application.Application = begin
sys.exit(launch.open_window(Path(sys.argv[1])))
"""


_SHORT_DEMONSTRATION = """
import sys
from pathlib import Path
from app.window import demo, launch

demo.DEMO_RUN_SECONDS, demo.MEASURING = 1.0, 3.0
sys.exit(launch.run_demo(Path(sys.argv[1])))
"""


def test_the_demonstration_with_no_display_leaves_pictures_and_log(tmp_path: Path) -> None:
    """It is shorter than the one that the installation is tried with, and all else is the same."""
    out = tmp_path / "demo"
    done = subprocess.run(
        [sys.executable, "-c", _SHORT_DEMONSTRATION, out],
        capture_output=True, text=True, check=False, timeout=PATIENCE, env=processes.environment(),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "finished: the time limit" in done.stdout
    assert "longest stall" in done.stdout
    names = {path.name for path in out.iterdir()}
    views = (
        *("tour", "decision", "convergence", "stops", "hit-rates", "device", "pheromone"),
        "speedup",
    )
    others = {"window-light.png", "window-dark.png", "view-compare.png", "view-log.png"}
    expected = {*others, *(f"view-{view}.png" for view in views)}
    assert expected < names
    for name in expected:
        image = QImage(str(out / name))
        assert image.width() >= 800
        assert name in done.stdout
        places = range(0, image.width(), 7), range(0, image.height(), 7)
        colours = {image.pixel(x, y) for x in places[0] for y in places[1]}
        assert len(colours) > 20, name  # it shows something
    light, dark = (
        QImage(str(out / f"window-{theme}.png")).pixelColor(10, 10).lightness()
        for theme in ("light", "dark")
    )
    assert light > 200
    assert dark < 50
    (log,) = [path for path in out.iterdir() if path.suffix == ".jsonl"]
    outcome = read_log(log).outcome
    assert outcome["ending"] == "finished"
    assert names == expected | {log.name, log.with_suffix(".frames").name}


@pytest.mark.parametrize(
    ("instance", "signal_"), [("ring-50", signal.SIGINT), ("uniform-10000", signal.SIGTERM)]
)
def test_a_signal_in_mid_run_closes_the_window_and_ends_the_log(
    tmp_path: Path, instance: str, signal_: signal.Signals
) -> None:
    """On the large instance one iteration takes minutes, and is left in its midst."""
    log = tmp_path / "run.jsonl"
    path = Path("resources/instances").resolve() / f"{instance}.tsp"
    environment = {**processes.environment(), "QT_QPA_PLATFORM": "offscreen"}
    process = subprocess.Popen(
        [*processes.command()[:1], "-c", _RUN, str(path), str(log)],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        until(lambda: processes.has_lines(log, 2))
        os.kill(process.pid, signal_)
        _, errors = process.communicate(timeout=120)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, errors
    outcome = read_log(log).outcome
    assert outcome["ending"] == "cancelled"


def test_a_window_has_colonies_compiled_in_another_process(application: Application) -> None:
    assert COMPILING.elsewhere is not None
    application.close()
    assert COMPILING.elsewhere is None


class Bell(QObject):
    rung = Signal()


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="True and None are immortal from 3.12 on")
def test_signals_keep_the_references_of_true_and_none(qapp: object) -> None:
    # PySide6 6.12.0 drops one at each signal, and the interpreter aborts when none is left.
    bell = Bell()
    bell.rung.connect(lambda: None)
    before = sys.getrefcount(True), sys.getrefcount(None)
    for _ in range(100):
        bell.rung.emit()
    after = sys.getrefcount(True), sys.getrefcount(None)
    assert abs(after[0] - before[0]) < 50
    assert abs(after[1] - before[1]) < 50
