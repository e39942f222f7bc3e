from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gpu.core.machine import motion
from gpu.core.machine.motion import reduces_motion

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asks Linux's desktops")


@pytest.mark.parametrize(("factor", "still"), [("0", True), ("0.5", False), ("much", False)])
def test_kde_is_asked_by_its_file(
    factor: str, still: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CURRENT_DESKTOP", "KDE")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert not reduces_motion()
    (tmp_path / "kdeglobals").write_text(f"[KDE]\nAnimationDurationFactor={factor}\n", "utf-8")
    assert reduces_motion() == still


def test_gnome_is_asked_by_its_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CURRENT_DESKTOP", "ubuntu:GNOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not reduces_motion()  # it is not there
    program = tmp_path / "gsettings"
    program.write_text("#!/bin/sh\necho false\n", "utf-8")
    program.chmod(0o755)
    assert reduces_motion()
    program.write_text("#!/bin/sh\nexit 1\n", "utf-8")
    assert not reduces_motion()


def test_another_desktop_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CURRENT_DESKTOP", "sway")
    monkeypatch.setattr(motion, "_said", lambda *_: pytest.fail("nobody is asked"))
    assert not reduces_motion()
