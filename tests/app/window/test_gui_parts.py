"""The small parts that the window is served by."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QThread, QTimer
from pytestqt.qtbot import QtBot

from app.files.log_tail import LogTail
from app.files.presets import presets
from app.notifications import Notifications
from app.window.application import make_application
from app.window.process import garbage_collection
from app.window.process.qt_libraries import (
    MissingLibraryError,
    check_qt,
    platforms_here,
    sentence_of,
)
from app.window.process.stall_meter import StallMeter
from app.window.threads import costly_parts
from app.window.threads.costly_parts import CostlyParts
from app.window.threads.priority import NICENESS
from app.window.threads.tasks import BackgroundTasks, Task
from gpu.catalog import CATALOG
from gpu.core import devices
from gpu.core.devices import Survey
from gpu.core.errors import DeviceError, InstanceError
from gpu.core.snapshot import Wanted
from gpu.core.stop_limits import STOP_LIMITS
from tests.views.scenes import snapshot, uniform


class Ear:
    """Remembers what a task tells, and in which thread."""

    def __init__(self) -> None:
        self.heard: list[object] = []
        self.threads: set[int] = set()

    def __call__(self, *what: object) -> None:
        self.heard.append(what if len(what) > 1 else what[0])
        self.threads.add(threading.get_ident())


@pytest.fixture
def ear() -> Ear:
    return Ear()


def test_a_task_works_elsewhere_and_tells_here(qtbot: QtBot, ear: Ear) -> None:
    background = BackgroundTasks()

    def work(task: Task[int]) -> int:
        task.report(0.5, "half")
        task.post(ear, "posted")
        return threading.get_ident()

    task = Task(work, ear, ear, ear)
    with qtbot.waitSignal(task.ended):
        background.start(task)
    half, posted, worker = ear.heard
    assert (half, posted) == ((0.5, "half"), "posted")
    assert worker != threading.get_ident()
    assert ear.threads == {threading.get_ident()}
    assert background.idle


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere threads share one niceness")
def test_a_task_gives_way_to_the_window(qtbot: QtBot, ear: Ear) -> None:
    def niceness(_: object) -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    background = BackgroundTasks()
    task = Task(niceness, ear, ear)
    with qtbot.waitSignal(task.ended):
        background.start(task)
    assert ear.heard == [min(19, niceness(None) + NICENESS)]


def test_a_task_that_fails_tells_one_sentence(qtbot: QtBot, ear: Ear) -> None:
    def work(task: Task[int]) -> int:
        raise InstanceError("a.tsp: not an instance")

    background = BackgroundTasks()
    task = Task(work, lambda _: pytest.fail("it did not succeed"), ear)
    with qtbot.waitSignal(task.ended):
        background.start(task)
    assert ear.heard == ["a.tsp: not an instance"]


def test_a_cancelled_task_tells_nothing(qtbot: QtBot, ear: Ear) -> None:
    def work(task: Task[int]) -> int:
        while not task.cancelled:
            QThread.msleep(1)
        return 1

    background = BackgroundTasks()
    task = background.start(Task(work, ear, ear, ear))
    with qtbot.waitSignal(task.ended):
        task.cancel()
    assert ear.heard == []


def test_shutdown_cancels_and_says_whether_all_ended(qtbot: QtBot, ear: Ear) -> None:
    released = threading.Event()

    def stubborn(task: Task[int]) -> int:
        released.wait(10)
        return 1

    background = BackgroundTasks()
    task = background.start(Task(stubborn, ear, ear))
    assert not background.shutdown(0.05)
    released.set()
    assert background.shutdown(5)
    assert task.isFinished()
    assert ear.heard == []


def test_garbage_is_looked_for_once_the_window_is_warm(
    qtbot: QtBot, request: pytest.FixtureRequest
) -> None:
    garbage_collection.pause()
    try:
        request.getfixturevalue("opened")
        qtbot.waitUntil(gc.isenabled, timeout=60_000)
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
    garbage_collection.pause()
    try:
        application = make_application(Notifications(), tmp_path / "window.ini")
        qtbot.addWidget(application.window)
        qtbot.waitUntil(lambda: "driver" in application.window.banner.text, timeout=10_000)
        assert gc.isenabled()
        assert application.close()
    finally:
        gc.enable()
        gc.unfreeze()


def test_a_stall_is_measured(qtbot: QtBot) -> None:
    meter = StallMeter()
    meter.start()
    qtbot.wait(100)
    meter.start()
    QTimer.singleShot(20, lambda: time.sleep(0.12))
    qtbot.wait(300)
    meter.stop()
    assert 0.11 < meter.longest < 0.3
    assert 0 < meter.share_above(0.1) < 0.2


def test_dear_parts_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costly_parts, "EVERY", 0.0)
    parts, instance = CostlyParts(), uniform(20)
    seen = []
    for iteration in range(1, 10):
        asked = parts.next(Wanted.EVERYTHING)
        assert Wanted.SOLUTION | Wanted.ITERATION_SOLUTION in asked
        dear = [part for part in costly_parts.COSTLY if part in asked]
        assert len(dear) == 1
        seen += dear
        parts.take_in(snapshot(instance, iteration, wanted=asked))
    assert {seen.count(part) for part in costly_parts.COSTLY} == {3}


def test_a_dear_part_is_asked_for_until_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    parts, instance = CostlyParts(), uniform(20)
    first = parts.next(Wanted.TRAILS)
    assert first == Wanted.TRAILS
    parts.take_in(snapshot(instance, 1, wanted=Wanted.NUMBERS))
    assert parts.next(Wanted.TRAILS) == Wanted.TRAILS
    parts.take_in(snapshot(instance, 2, wanted=Wanted.TRAILS))
    assert parts.next(Wanted.TRAILS) == Wanted.NUMBERS  # it is not due yet
    assert parts.next(Wanted.SOLUTION) == Wanted.SOLUTION


def test_the_tail_gives_whole_lines_once(tmp_path: Path, ear: Ear) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"one\ntw")
    tail = LogTail(ear)
    tail.follow(path)
    tail.read()
    with path.open("ab") as file:
        file.write("o\ndreißig\n".encode())
    tail.read()
    tail.read()
    tail.follow(None)
    tail.read()
    assert ear.heard == [["one"], ["two", "dreißig"]]


def test_a_log_that_is_not_there_has_no_tail(tmp_path: Path, ear: Ear) -> None:
    tail = LogTail(ear)
    tail.follow(tmp_path / "missing")
    tail.read()
    assert ear.heard == []


def test_presets_are_settings_that_colonies_accept() -> None:
    found = presets()
    assert len(found) >= 3
    assert len({preset.name for preset in found}) == len(found)
    for preset in found:
        assert preset.description.endswith(".")
        systems = [system for system in CATALOG if preset.is_for(system.alias)]
        assert systems
        kinds = {system.parameters for system in systems}
        for kind in kinds:  # what a colony does not have is left out for it
            known = kind.explanations()
            kind.from_mapping(
                {key: preset.parameters[key] for key in known if key in preset.parameters}
            )
        for name in preset.parameters:
            assert any(name in kind.explanations() for kind in kinds)
        for name, value in (preset.stop or {}).items():
            assert STOP_LIMITS[name].wanted(value) == ""


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
    environment: dict[str, str], platforms: tuple[str, ...]
) -> None:
    assert platforms_here(environment) == platforms
