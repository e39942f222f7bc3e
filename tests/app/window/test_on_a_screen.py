"""What a user sees of the window on a real screen, under a window manager."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from tests.screen import missing, screen_of
from tests.waiting import until
from views.widgets.theme import DARK

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())
PLAIN, PRESENTED = DARK["window"], DARK.presented["window"]


@pytest.fixture(autouse=True)
def dark() -> None:
    """The program begins with the dark theme."""
    settings = Path(os.environ["XDG_CONFIG_HOME"], "formicarium", "window.json")
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"theme": "dark"}))


def test_a_presentation_is_painted_and_so_is_the_window_after_it(tmp_path: Path) -> None:
    with screen_of(1400, 900, tmp_path) as screen, screen.program("ring-200"):
        for _ in range(2):
            until(lambda: screen.share(PLAIN) > 0.1)
            assert screen.share(PRESENTED) < 0.1
            screen.do("key", "F11")
            until(lambda: screen.share(PRESENTED) > 0.6)
            assert screen.share(PLAIN) < 0.01
            screen.do("key", "Escape")
            until(lambda: bool(np.all(screen.pixels[0, 0] == 255)))


@pytest.mark.parametrize(("size", "scale"), [((1000, 700), 1), ((1920, 1080), 2)])
def test_the_first_window_is_within_the_screen(
    size: tuple[int, int], scale: int, tmp_path: Path
) -> None:
    with screen_of(*size, tmp_path) as screen, screen.program(scale=scale):
        until(lambda: screen.share(PLAIN) > 0.1)
        assert not screen.covers_edges
