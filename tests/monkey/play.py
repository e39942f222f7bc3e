"""Opens a window for the monkey, and closes it again."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from app.notifications import Notifications
from app.window.application import Application
from gpu.run.log.names import free_path, stem
from tests.hands import rest
from tests.monkey.findings import Findings
from tests.monkey.monkey import PAUSE, Monkey

PATIENCE = 300.0  # most seconds that a compiler at work gets at the end


def play_in(folder: Path, seed: int, actions: int, tell: Callable[[str], object]) -> Findings:
    """Open a window whose files are in ``folder``, play, close it; return what was found."""
    with Notifications() as notifications:
        application = Application(
            notifications,
            folder / "window.json",
            lambda session: free_path(folder, stem(session), ".jsonl"),
        )
        monkey = Monkey(application, folder, seed)
        errors = monkey.findings.errors
        notifications.listeners.append(lambda said: errors.extend([said] * ("report it" in said)))
        application.window.resize(1280, 800)
        application.window.show()
        try:
            found = monkey.play(actions, tell)
            application.measurements.cancel()
            application.runs.study.cancel()
            application.run_controller.stop()
            begun = time.monotonic()
            while not application.background.idle and time.monotonic() - begun < PATIENCE:
                rest(PAUSE)
        finally:
            begun = time.monotonic()
            while not application.close():  # a compiler at work holds up a thread's end
                if time.monotonic() - begun > PATIENCE:
                    errors.append("a thread did not end")
                    break
            application.window.deleteLater()
    return found
