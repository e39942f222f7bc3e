"""Files of compiled functions: whole or not there, and never those of another processor."""

import importlib
import platform
import shutil
from pathlib import Path
from typing import Any

import pytest

from gpu.cpu import code_files
from gpu.cpu.code_files import CodeArchive, CodeFolder, Processor, code_name, level, pack

HERE = Processor("x86_64-unknown-linux-gnu", "znver4", "+avx2")


def _double(x: int) -> int:
    return 2 * x


def _triple(x: int) -> int:
    return 3 * x


@pytest.fixture
def folder(tmp_path: Path) -> CodeFolder:
    path = tmp_path / "kept"
    path.mkdir()
    return CodeFolder(path)


def test_a_name_stands_for_all_that_the_code_depends_on() -> None:
    name = code_name(_double, ("int64",), HERE)
    assert name == code_name(_double, ("int64",), HERE)
    others = {
        code_name(_triple, ("int64",), HERE),
        code_name(_double, ("float64",), HERE),
        code_name(_double, ("int64",), HERE._replace(name="skylake")),
        code_name(_double, ("int64",), HERE._replace(features="-avx2")),
        code_name(_double, ("int64",), HERE._replace(triple="x86_64-pc-windows-msvc")),
    }
    assert len(others) == 5
    assert name not in others


def test_what_was_written_is_read(folder: CodeFolder) -> None:
    assert "one.code" not in folder
    assert folder.read("one.code") is None
    folder.write("one.code", b"machine code")
    assert "one.code" in folder
    assert folder.read("one.code") == b"machine code"
    assert [path.name for path in folder.path.iterdir()] == ["one.code"]


@pytest.mark.parametrize("damage", ["cut off", "changed", "empty"])
def test_a_damaged_file_does_not_count(folder: CodeFolder, damage: str) -> None:
    folder.write("one.code", b"machine code")
    file = folder.path / "one.code"
    data = file.read_bytes()
    file.write_bytes({"cut off": data[:-1], "changed": data[:-1] + b"!", "empty": b""}[damage])
    assert folder.read("one.code") is None


def test_an_archive_has_what_the_folder_had(folder: CodeFolder, tmp_path: Path) -> None:
    folder.write("one.code", b"machine code")
    folder.write("two.code", b"more of it")
    (folder.path / "two.code.tmp123").touch()
    file = tmp_path / "all.zip"
    assert pack(folder.path, file) == 2
    archive = CodeArchive(file)
    assert ("one.code" in archive, "three.code" in archive) == (True, False)
    assert archive.read("two.code") == b"more of it"
    assert archive.read("three.code") is None
    shutil.copy(file, tmp_path / "first.zip")
    pack(folder.path, file)
    assert file.read_bytes() == (tmp_path / "first.zip").read_bytes()


def test_an_archive_that_is_missing_or_damaged_has_nothing(
    folder: CodeFolder, tmp_path: Path
) -> None:
    assert "one.code" not in CodeArchive(tmp_path / "none.zip")
    folder.write("one.code", b"machine code")
    file = tmp_path / "all.zip"
    pack(folder.path, file)
    archive = CodeArchive(file)
    file.write_bytes(b"PK")
    assert archive.read("one.code") is None
    assert "one.code" not in CodeArchive(file)


def test_a_processor_below_the_level_gets_no_code_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    llvm: Any = importlib.import_module("llvmlite.binding")
    features = dict.fromkeys(code_files.LEVELS["x86_64"].needs, True)
    monkeypatch.setattr(platform, "machine", lambda: "AMD64")
    for known, name in ((features, "x86-64-v3"), ({**features, "avx2": False}, None)):
        monkeypatch.setattr(llvm, "get_host_cpu_features", lambda known=known: known)
        level.cache_clear()
        found = level()
        assert (found.name if found else None) == name
    monkeypatch.undo()
    level.cache_clear()
