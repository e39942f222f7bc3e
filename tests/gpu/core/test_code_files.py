"""Files of compiled code are whole, or not there."""

import shutil
from pathlib import Path

import pytest

from gpu.core.machine.code_files import CodeArchive, CodeFolder, pack


@pytest.fixture
def folder(tmp_path: Path) -> CodeFolder:
    path = tmp_path / "kept"
    path.mkdir()
    return CodeFolder(path)


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
