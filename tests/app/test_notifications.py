from __future__ import annotations

import errno
import logging
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QTimer, qWarning
from pytestqt.qtbot import QtBot

from app.notifications import Notifications
from gpu.core.errors import DeviceError, sentence_for


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Notifications]:
    with Notifications(tmp_path / "logs" / "formicarium.log") as hub:
        yield hub


@pytest.fixture
def told(hub: Notifications) -> list[str]:
    sentences: list[str] = []
    hub.listeners.append(sentences.append)
    return sentences


def raised(error: BaseException) -> None:
    try:
        raise error
    except BaseException:
        sys.excepthook(*sys.exc_info())


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (DeviceError("cuda:0 is gone"), "cuda:0 is gone"),
        (MemoryError(), "memory is too small"),
        (OSError(errno.ENOSPC, "No space left on device", "/x/y"), "/x/y: the disk is full"),
        (PermissionError(errno.EACCES, "Permission denied", "/x"), "/x: Permission denied"),
        (ValueError("a\nb"), "(ValueError: a b)"),
        (KeyError(), "(KeyError)"),
    ],
)
def test_every_error_is_one_sentence(error: BaseException, sentence: str) -> None:
    assert sentence in sentence_for(error)
    assert "\n" not in sentence_for(error)


def test_an_unexpected_error_is_logged_whole_and_told_once(
    hub: Notifications, told: list[str]
) -> None:
    raised(ZeroDivisionError("by nought"))
    assert told == ["an unexpected error came up (ZeroDivisionError: by nought): please report it"]
    text = hub.log.read_text()
    assert "Traceback" in text
    assert "ZeroDivisionError: by nought" in text


def test_errors_in_threads_are_told(hub: Notifications, told: list[str]) -> None:
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()
    assert "ZeroDivisionError" in told[0]
    thread = threading.Thread(target=sys.exit)
    thread.start()
    thread.join()
    assert len(told) == 1


def test_qt_messages_are_logged_but_not_told(
    qtbot: QtBot, hub: Notifications, told: list[str]
) -> None:
    qWarning("a thing of Qt's")
    assert "WARNING" in hub.log.read_text()
    assert "a thing of Qt's" in hub.log.read_text()
    assert told == []


def test_a_listener_that_fails_is_logged_and_does_not_loop(hub: Notifications) -> None:
    def fails(sentence: str) -> None:
        raised(RuntimeError(f"cannot show {sentence!r}"))

    hub.listeners.append(fails)
    raised(ValueError("first"))
    assert "cannot show" in hub.log.read_text()


def test_without_a_listener_standard_error_hears_it(
    hub: Notifications, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.tell("all is lost")
    assert capsys.readouterr().err == "formicarium: all is lost\n"


def test_the_hooks_are_given_back(tmp_path: Path) -> None:
    before = sys.excepthook, threading.excepthook, list(logging.getLogger().handlers)
    with Notifications(tmp_path / "log"):
        assert sys.excepthook != before[0]
    assert (sys.excepthook, threading.excepthook, logging.getLogger().handlers) == before


def test_a_log_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    told: list[str] = []
    hub = Notifications(tmp_path / "file" / "log")
    hub.listeners.append(told.append)
    with hub:
        raised(ValueError("x"))
    assert "the program's log cannot be written" in told[0]
    assert "ValueError" in told[1]


def test_an_error_in_a_slot_is_told(qtbot: QtBot, tmp_path: Path) -> None:
    told: list[str] = []
    parent = QObject()
    with qtbot.captureExceptions() as caught:
        QTimer.singleShot(0, parent, lambda: 1 / 0)
        qtbot.waitUntil(lambda: bool(caught))
    hub = Notifications()
    hub.listeners.append(told.append)
    with hub:
        (found,) = caught
        sys.excepthook(*found)
    assert "ZeroDivisionError" in told[0]


def test_a_full_disk_is_told_once_and_leaves_no_tracebacks(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Notifications(Path("/dev/full")):
        for _ in range(3):
            logging.getLogger("app").error("a line")
    assert capsys.readouterr().err == (
        "formicarium: the program's log cannot be written (the disk is full)\n"
    )
