"""Starts the command line. Ctrl-C before or after a command leaves no traceback."""

import signal
import sys


def main() -> None:
    """Run the command line, and leave with its exit status."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # outside a command nothing is to clean up
    from app.cli.ending import run

    sys.exit(run())


if __name__ == "__main__":
    main()
