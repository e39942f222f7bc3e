"""A monkey at the window: random clicks, keys, wheels and drags, as from a user's hands.

    python -m tests.monkey --seed 1 --actions 2000

It prints how much memory the process has on the way, the longest stalls with the places where the
window's thread worked, which commands and controls it did not reach, and every error that a user
would have been asked to report. Most of the time it keeps a run going. A seed repeats what the
monkey does, but not how far a run has come meanwhile.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from functools import partial
from pathlib import Path
from unittest import mock

from PySide6.QtGui import QDesktopServices

from app.window.qt_application import qt_application
from tests.monkey.monkey import play_in


def main() -> int:
    """Play as the command line says; return 1 if anything asked to be reported."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--actions", type=int, default=2000)
    parser.add_argument("--list", action="store_true", help="print every action")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="formicarium-monkey-") as place:
        for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            os.environ[name] = place
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        qt_application()
        say = partial(print, flush=True)
        with mock.patch.object(QDesktopServices, "openUrl"):  # of the folder with the logs
            found = play_in(Path(place), chosen.seed, chosen.actions, say)
    if chosen.list:
        say(*found.done, sep="\n")
    say(*found.told(), sep="\n")
    return 1 if found.errors else 0


if __name__ == "__main__":
    sys.exit(main())
