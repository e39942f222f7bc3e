"""Numbers with their nouns, and texts from elsewhere."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import unicodedata

_PLURALS = {"ty": "tie", "ch": "che", "ss": "sse", "ex": "ice"}  # cities, batches, ..., vertices


def counted(number: int, noun: str, written: str = "") -> str:
    """Return ``number`` (as it is ``written``) with ``noun``: "1 iteration", "2 cities"."""
    if number != 1:
        for ending, before_s in _PLURALS.items():
            noun = re.sub(f"{ending}$", before_s, noun)
        noun += "s"
    return f"{written or number} {noun}"


def shown(text: str, most: int | None = None) -> str:
    """Return ``text`` from a file or a user as it can be shown, in at most ``most`` characters.

    Everything that is not printed, such as a terminal's control sequences, becomes an escape;
    line breaks and spaces of any width stay.
    """
    if text.isprintable() and (most is None or len(text) <= most):
        return text  # as a rule, and much quicker
    escaped = "".join(
        one
        if one.isprintable() or one == "\n" or unicodedata.category(one) == "Zs"
        else one.encode("unicode_escape").decode("ascii")
        for one in text[:most]
    )
    if most is not None and max(len(text), len(escaped)) > most:
        return f"{escaped[: most - 1]}…"
    return escaped


def command_line(*words: str) -> str:
    """Return the command of these ``words`` as this system's usual shell takes it."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)
