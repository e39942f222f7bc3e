"""The entry in a desktop's menus."""

from __future__ import annotations

import configparser
import os
import plistlib
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from PIL import Image

import gpu
from app.files.desktop import entry, linux, macos, program, windows
from app.files.writing import ExportError
from tests.app.conftest import Command

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="desktop entries are Linux's")
on_posix = pytest.mark.skipif(sys.platform == "win32", reason="bundles are macOS's")

ODD = '/a b/50%/"$x`\\/formicarium'


def installed() -> list[Path]:
    home = Path(os.environ["XDG_DATA_HOME"])
    return sorted(path for path in home.rglob("formicarium*") if path.is_file())


@on_linux
def test_it_is_installed_again_and_removed(inside: Command) -> None:
    first = inside("desktop", "--install")
    assert first.returncode == 0, first.stderr
    file, icon, types = installed()
    for path in (file, icon, types):
        assert f"{path} is written" in first.stdout
    before = [path.read_bytes() for path in installed()]
    assert inside("desktop", "--install").stdout == first.stdout
    assert [path.read_bytes() for path in installed()] == before

    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(file.read_text("utf-8"))
    values = dict(parser["Desktop Entry"])
    command, *_, argument = shlex.split(values["Exec"])
    assert Path(command).is_absolute()
    assert argument == "%f"
    assert values["Icon"] == icon.stem
    tree = ElementTree.parse(types)
    space = "{http://www.freedesktop.org/standards/shared-mime-info}"
    names = [one.get("type") for one in tree.getroot().iter(f"{space}mime-type")]
    assert values["MimeType"].rstrip(";").split(";") == names
    globs = {one.get("pattern") for one in tree.getroot().iter(f"{space}glob")}
    assert {"*.tsp", "*.tour", "*.col", "*.tsp.gz"} <= globs
    assert ElementTree.parse(icon).getroot().tag.endswith("svg")

    gone = inside("desktop", "--remove")
    assert f"{file} is removed" in gone.stdout
    assert installed() == []
    assert "nothing is installed" in inside("desktop", "--remove").stdout
    wrong = inside("desktop")
    assert (wrong.returncode, "say --install or --remove" in wrong.stderr) == (2, True)


@on_linux
def test_a_command_with_odd_letters_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linux, "command", lambda: [ODD])
    linux.install()
    line = next(
        one for one in installed()[0].read_text().splitlines() if one.startswith("Exec=")
    ).removeprefix("Exec=")
    # What a desktop does: undo the escapes of the file's strings, then those of the quotes.
    word = line.removesuffix(" %f").strip('"').replace("\\\\", "\\")
    assert re.sub(r"\\(.)", r"\1", word).replace("%%", "%") == ODD


@on_linux
def test_what_is_impossible(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    with pytest.raises(ExportError, match="cannot be written"):
        entry.install()


def test_the_command_of_a_folder_without_python(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("formicarium.exe", "formicarium-gui.exe"):
        (tmp_path / name).touch()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "formicarium.exe"))
    for system, name in (("linux", "formicarium.exe"), ("win32", "formicarium-gui.exe")):
        monkeypatch.setattr(sys, "platform", system)
        assert program.command() == [str(tmp_path / name)]


class Kept:
    """A registry in memory."""

    def __init__(self) -> None:
        self.texts: dict[tuple[str, str], str] = {}

    def read(self, key: str, name: str) -> str | None:
        return self.texts.get((key, name))

    def write(self, key: str, name: str, text: str) -> None:
        self.texts[key, name] = text

    def remove(self, key: str, name: str) -> None:
        self.texts.pop((key, name), None)

    def remove_key(self, key: str) -> None:
        for found, name in list(self.texts):
            if f"{found}\\".startswith(f"{key}\\"):
                del self.texts[found, name]


def test_start_menu_and_file_types_of_windows(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("APPDATA", str(tmp_path / "Roaming"))
    monkeypatch.setattr(windows, "user_data_dir", lambda *_, **__: str(tmp_path))
    monkeypatch.setattr(windows, "command", lambda: [r"C:\Program Files\formicarium-gui.exe"])
    told: dict[str, str] = {}

    def shell(words: list[str], environment: dict[str, str]) -> bool:
        told.update(environment)
        Path(environment["FORMICARIUM_LINK"]).touch()
        return words[0] == "powershell"

    monkeypatch.setattr(windows, "tool_works", shell)
    registry = Kept()
    registry.write(rf"{windows.CLASSES}\.col", "", "Another.Program")
    before = dict(registry.texts)
    said = windows.install(registry)
    menu = tmp_path / "Roaming" / "Microsoft" / "Windows" / "Start Menu" / "Programs"
    link, icon = menu / "Formicarium.lnk", tmp_path / "formicarium.ico"
    assert said[:2] == [f"{link} is written", f"{icon} is written"]
    assert said[2] == "Formicarium opens .tsp .atsp .tour .col"
    assert told["FORMICARIUM_TARGET"] == r"C:\Program Files\formicarium-gui.exe"
    with Image.open(icon) as picture:
        assert (picture.format, picture.size) == ("ICO", (256, 256))
        assert {(16, 16), (48, 48)} <= picture.info["sizes"]

    def read(*parts: str) -> str | None:
        return registry.read("\\".join((windows.CLASSES, *parts)), "")

    assert read(".tsp") == "Formicarium.TSPLIBinstance"
    assert read(".col") == "Another.Program"  # it keeps its files, and this one is offered
    assert read(".col", "OpenWithProgids") is None
    offered = registry.read(rf"{windows.CLASSES}\.col\OpenWithProgids", "Formicarium.DIMACSgraph")
    assert offered == ""
    opening = read("Formicarium.TSPLIBinstance", "shell", "open", "command")
    assert opening == '"C:\\Program Files\\formicarium-gui.exe" "%1"'
    assert windows.install(registry) == said

    removed = windows.remove(registry)
    assert f"{link} is removed" in removed
    assert "TSPLIB instance: .tsp .atsp are forgotten" in removed
    assert registry.texts == before
    assert not link.exists()
    assert not icon.exists()
    assert windows.remove(registry) == ["nothing is installed, so that nothing is removed"]
    monkeypatch.setattr(windows, "tool_works", lambda *_: False)
    with pytest.raises(ExportError, match="PowerShell"):
        windows.install(registry)


@on_posix
def test_the_bundle_of_macos(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr(sys, "platform", "darwin")
    asked: list[list[str]] = []

    def registered(words: list[str]) -> bool:
        asked.append(words)
        return True

    monkeypatch.setattr(macos, "tool_works", registered)
    monkeypatch.setattr(macos, "command", lambda: ["/bin/echo", "a b"])
    bundle = tmp_path / "Applications" / "Formicarium.app"
    said = entry.install()
    assert said == [f"{bundle} is written", "Formicarium opens .tsp .atsp .tour .col"]
    assert asked[0][1:] == ["-f", str(bundle)]
    with (bundle / "Contents" / "Info.plist").open("rb") as file:
        about = plistlib.load(file)
    assert about["CFBundleShortVersionString"] == gpu.__version__
    (tours,) = (
        one for one in about["CFBundleDocumentTypes"] if one["CFBundleTypeName"] == "TSPLIB tour"
    )
    assert tours["CFBundleTypeExtensions"] == ["tour"]
    start = bundle / "Contents" / "MacOS" / about["CFBundleExecutable"]
    done = subprocess.run([start, "my file.tsp"], capture_output=True, text=True, check=True)
    assert done.stdout == "a b my file.tsp\n"
    icon = bundle / "Contents" / "Resources" / f"{about['CFBundleIconFile']}.icns"
    with Image.open(icon) as picture:
        assert picture.format == "ICNS"
    assert entry.install() == said
    assert entry.remove() == [f"{bundle} is removed"]
    assert list((tmp_path / "Applications").iterdir()) == []
    assert entry.remove() == ["nothing is installed, so that nothing is removed"]
