"""Starts the command line. Ctrl-C leaves no traceback, not even while it is being imported."""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """Run the command line, and leave with its exit status."""
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:  # while it imports, there is nothing to clean up
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from app.cli.ending import run

    signal.signal(signal.SIGINT, usual)
    sys.exit(run())


if __name__ == "__main__":
    main()
