"""Libraries that Qt needs, and the platforms that it tries."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.window.qt_libraries import (
    MissingLibraryError,
    check_qt,
    platforms_here,
    sentence_of,
)


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
