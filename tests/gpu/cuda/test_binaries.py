"""Machine code of kernels is compiled once, kept, and found for later GPUs of the same kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gpu.core.machine.code_files import CodeArchive, CodeFolder, pack
from gpu.core.machine.compiling import COMPILING
from gpu.cuda import binaries
from gpu.cuda.binaries import Binary, Unit


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CodeFolder:
    path = tmp_path / "kept"
    path.mkdir()
    kept = CodeFolder(path)
    monkeypatch.setattr(binaries, "code_folder", lambda: kept)
    return kept


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Unit, int]]:
    """What is compiled; the compiler of GPUs is not here."""
    done: list[tuple[Unit, int]] = []

    def compile_(unit: Unit, generation: int) -> Binary:
        done.append((unit, generation))
        return Binary(
            b"\x7fELF\n\n of " + str(unit.kernels).encode(), dict.fromkeys(unit.kernels, "_Z")
        )

    monkeypatch.setattr(binaries, "_compile", compile_)
    return done


def a_unit() -> Unit:
    return next(one for one in binaries.every_unit() if one.template is not None)


def test_every_kernel_is_in_one_unit() -> None:
    units = list(binaries.every_unit())
    assert len({(unit.source, unit.template) for unit in units}) == len(units) > 200
    for source in {unit.source for unit in units}:
        kernels = [name for unit in units if unit.source is source for name in unit.kernels]
        assert sorted(kernels) == sorted(source.kernels)
        for name in source.kernels:
            assert name in binaries.unit_of(source, name).kernels


def test_what_was_compiled_is_kept_for_this_generation_alone(
    folder: CodeFolder, compiled: list[tuple[Unit, int]]
) -> None:
    unit = a_unit()
    first = binaries.binary_for(unit, 86)
    assert binaries.binary_for(unit, 86) == first
    assert compiled == [(unit, 86)]
    binaries.binary_for(unit, 80)
    binaries.binary_for(unit, 89)
    assert [generation for _, generation in compiled] == [86, 80, 89]


def test_what_came_along_serves_later_gpus_of_the_same_major_number(
    folder: CodeFolder,
    compiled: list[tuple[Unit, int]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unit = a_unit()
    made = binaries.binary_for(unit, 80)
    pack(folder.path, tmp_path / binaries.ARCHIVE)
    for file in folder.path.iterdir():
        file.unlink()
    monkeypatch.setattr(binaries, "archive", lambda name: CodeArchive(tmp_path / name))
    del compiled[:]
    assert [binaries.binary_for(unit, 80), binaries.binary_for(unit, 89)] == [made, made]
    assert not compiled
    binaries.binary_for(unit, 75)
    binaries.binary_for(unit, 90)
    assert [generation for _, generation in compiled] == [75, 90]


def test_what_is_missing_is_compiled_by_other_processes_too(
    folder: CodeFolder, compiled: list[tuple[Unit, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    units = list(binaries.every_unit())[:6]
    binaries.binary_for(units[0], 90)
    handed: list[object] = []

    def beside(function: Callable[..., None], *arguments: object) -> bool:
        handed.append(arguments)
        function(*arguments)
        return True

    monkeypatch.setattr(COMPILING, "beside", beside)
    binaries.prepare([*units, units[0]], 90)
    assert {unit for unit, _ in compiled} == set(units)
    assert len(compiled) == len(units)
    binaries.prepare(units, 90)
    assert len(compiled) == len(units)
    assert len(handed) < len(units)


def test_a_full_disk_ends_no_run(
    folder: CodeFolder, compiled: list[tuple[Unit, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(name: str, code: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folder, "write", write)
    unit = a_unit()
    assert binaries.binary_for(unit, 90) == binaries.binary_for(unit, 90)
    assert len(compiled) == 2
