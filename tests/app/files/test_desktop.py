"""The entry in a desktop's menus."""

from __future__ import annotations

import configparser
import os
import re
import shlex
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from app.files import desktop
from app.files.exports import ExportError
from gpu.core.errors import FormicariumError
from tests.app.conftest import Command

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="desktop entries are Linux's")


def installed() -> list[Path]:
    home = Path(os.environ["XDG_DATA_HOME"])
    return sorted(path for path in home.rglob("formicarium*") if path.is_file())


def test_it_is_installed_again_and_removed(inside: Command) -> None:
    first = inside("desktop", "--install")
    assert first.returncode == 0, first.stderr
    entry, icon, types = installed()
    for path in (entry, icon, types):
        assert f"{path} is written" in first.stdout
    before = [path.read_bytes() for path in installed()]
    assert inside("desktop", "--install").stdout == first.stdout
    assert [path.read_bytes() for path in installed()] == before

    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(entry.read_text("utf-8"))
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
    assert f"{entry} is removed" in gone.stdout
    assert installed() == []
    assert "nothing is installed" in inside("desktop", "--remove").stdout
    wrong = inside("desktop")
    assert (wrong.returncode, "say --install or --remove" in wrong.stderr) == (2, True)


def test_a_command_with_odd_letters_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desktop, "_command", lambda: ['/a b/50%/"$x`\\/formicarium'])
    desktop.install()
    line = next(
        one for one in installed()[0].read_text().splitlines() if one.startswith("Exec=")
    ).removeprefix("Exec=")
    # What a desktop does: undo the escapes of the file's strings, then those of the quotes.
    word = line.removesuffix(" %f").strip('"').replace("\\\\", "\\")
    assert re.sub(r"\\(.)", r"\1", word).replace("%%", "%") == '/a b/50%/"$x`\\/formicarium'


def test_what_is_impossible(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    with pytest.raises(ExportError, match="cannot be written"):
        desktop.install()


@pytest.mark.parametrize(
    ("system", "instead"),
    [
        ("darwin", "start the program by its command"),
        ("win32", r"make a shortcut to .*-gui\.exe, which"),
    ],
)
def test_other_systems_have_no_entries(
    monkeypatch: pytest.MonkeyPatch, system: str, instead: str
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    with pytest.raises(FormicariumError, match=f"for Linux desktops: {instead}"):
        desktop.install()
