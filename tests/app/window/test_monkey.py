"""Random clicks and keys in the whole window: no error, and nothing left over."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication

from tests.monkey.monkey import play_in

ACTIONS = 200


@pytest.mark.slow
@pytest.mark.timeout(600)  # it compiles whatever colony it comes across
def test_a_monkey_finds_no_error(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    opened: list[object] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    found = play_in(tmp_path, seed=1, actions=ACTIONS, tell=print)
    assert found.errors == []
    assert len(found.done) == ACTIONS
    assert [actions for actions, _ in found.memory] == [50, 100, 150, 200]
