from __future__ import annotations

import pytest

from app.window.application import Application
from tests.app.in_window import use_device


@pytest.fixture
def application(opened: Application) -> Application:
    """The window with one core chosen."""
    use_device(opened, "cpu:1")
    return opened
