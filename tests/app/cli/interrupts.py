"""Ctrl-C in the midst of a measurement, at a step and not at a time."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest


def interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send this process SIGINT when a measurement begins its second timing: it has one result."""
    begun: list[str] = []

    def look(text: str, share: float) -> None:
        if text.endswith("timing"):
            begun.append(text)
            if len(begun) == 2:
                os.kill(os.getpid(), signal.SIGINT)

    def progress(name: str) -> Callable[[str, float], None]:
        return look

    monkeypatch.setattr("app.cli.measure._progress", progress)
