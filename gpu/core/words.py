"""Numbers with their nouns."""

from __future__ import annotations


def counted(number: int, noun: str, written: str = "") -> str:
    """Return ``number`` (as it is ``written``) with ``noun``: "1 iteration", "2 iterations"."""
    return f"{written or number} {noun}{'' if number == 1 else 's'}"
