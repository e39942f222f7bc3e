"""What tests of the window wait for ends, and says why where it ends in vain."""

from __future__ import annotations

import types
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from tests.app import in_window


def test_work_in_the_background_that_does_not_end_says_where_it_is(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_window, "PATIENCE", 0.05)
    window: Any = types.SimpleNamespace(background=types.SimpleNamespace(idle=False))
    with pytest.raises(pytest.fail.Exception, match=r"does not end\n\n.*:\n(?s:.*)in test"):
        in_window.await_background(qtbot, window)
    window.background.idle = True
    in_window.await_background(qtbot, window)
