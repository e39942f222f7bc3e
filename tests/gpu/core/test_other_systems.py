"""What is said and done on systems other than Linux, with stand-ins for what those have."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from multiprocessing import connection
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import psutil
import pytest

from gpu.core import files
from gpu.core.machine import devices, processes, processors
from gpu.core.machine.processors import model_of_processor
from gpu.core.words import command_line


def test_windows_tells_the_processor_in_its_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    registry: Any = ModuleType("winreg")
    registry.HKEY_LOCAL_MACHINE = "machine"
    asked: list[tuple[str, str]] = []

    def open_key(root: str, place: str) -> Any:
        asked.append((root, place))
        return closing(SimpleNamespace(close=lambda: None))

    registry.OpenKey = open_key
    registry.QueryValueEx = lambda key, name: ({"ProcessorNameString": "Fast CPU  "}[name], 1)
    monkeypatch.setitem(sys.modules, "winreg", registry)
    monkeypatch.setattr(sys, "platform", "win32")
    assert model_of_processor() == "Fast CPU"
    assert asked == [("machine", r"HARDWARE\DESCRIPTION\System\CentralProcessor\0")]


def test_macos_tells_the_processor_by_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(words: Sequence[str], **_: object) -> subprocess.CompletedProcess[str]:
        assert words == ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.CompletedProcess(words, 0, "Apple M4\n", "")

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(sys, "platform", "darwin")
    assert model_of_processor() == "Apple M4"


def test_a_processor_that_is_not_told_has_its_kind_as_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(words: Sequence[str], **_: object) -> subprocess.CompletedProcess[str]:
        raise FileNotFoundError

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr("platform.processor", lambda: "")
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert model_of_processor() == "arm64"


def test_memory_is_known_on_every_system(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(processors, "CONTROL_GROUP", tmp_path)  # where nothing is
    monkeypatch.setattr(
        psutil, "virtual_memory", lambda: SimpleNamespace(total=2**34, available=2**33)
    )
    assert processors.free_memory() == 2**33
    assert devices.find("cpu").memory == 2**34


def test_no_more_is_waited_for_at_once_than_the_system_can(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual, sizes = connection.wait, list[int]()

    def wait(sources: Sequence[Any], timeout: float) -> list[Any]:
        sizes.append(len(sources))
        return usual(sources, timeout)

    monkeypatch.setattr(processes, "MOST_PIPES", 2)
    monkeypatch.setattr(connection, "wait", wait)
    pipes = [multiprocessing.Pipe() for _ in range(5)]
    try:
        processes.wait([ours for ours, _ in pipes], 0)
        assert sizes == [2, 2, 1]
        pipes[3][1].send("something")
        processes.wait([ours for ours, _ in pipes], 0)
        assert sizes[3:] == [2, 2]  # what is there is not waited for
    finally:
        for pair in pipes:
            for end in pair:
                end.close()


def test_a_name_in_use_is_tried_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    part, path = tmp_path / "part", tmp_path / "whole"
    part.write_text("new")
    path.write_text("old")
    usual, tries, pauses = Path.replace, list[Path](), list[float]()

    def replace(one: Path, target: Path) -> Path:
        tries.append(one)
        if len(tries) < 3:
            raise PermissionError(13, "in use")
        return usual(one, target)

    monkeypatch.setattr(Path, "replace", replace)
    monkeypatch.setattr("time.sleep", pauses.append)
    monkeypatch.setattr(files, "TRIES", 2)
    with pytest.raises(PermissionError):
        files.rename(part, path)
    assert (len(tries), len(pauses)) == (2, 1)
    files.rename(part, path)
    assert path.read_text() == "new"
    assert not part.exists()


def test_a_command_is_quoted_for_the_shell_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    words = "formicarium", "solve", "my cities.tsp"
    assert command_line(*words) == "formicarium solve 'my cities.tsp'"
    monkeypatch.setattr(sys, "platform", "win32")
    assert command_line(*words) == 'formicarium solve "my cities.tsp"'
