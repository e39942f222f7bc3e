"""What goes to a terminal beside results: one-line messages, and a line of progress."""

from __future__ import annotations

import shutil
import sys

_CLEAR = "\r\x1b[K"


def say(sentence: str) -> None:
    """Print a message for the user to standard error."""
    print(f"formicarium: {sentence}", file=sys.stderr)


def width() -> int:
    """Return how many characters a line of lists has: as many as the terminal's, 100 elsewhere."""
    return max(shutil.get_terminal_size((100, 24)).columns, 60)


def one_line(text: str) -> str:
    """Return ``text`` without line breaks."""
    return " ".join(text.split())


def show_progress(text: str) -> None:
    """Replace the line of progress, if standard error is a terminal; nothing removes it."""
    if sys.stderr.isatty():
        sys.stderr.write(f"{_CLEAR}{text}")
        sys.stderr.flush()
