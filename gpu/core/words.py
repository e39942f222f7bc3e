"""Numbers with their nouns."""

from __future__ import annotations


def counted(number: int, noun: str, written: str = "") -> str:
    """Return ``number`` with ``noun``, as "1 iteration" or "2 iterations".

    Parameters
    ----------
    number : int
        How many.
    noun : str
        Of what; its plural ends in s.
    written : str, optional
        How the number is written; by default in plain digits.
    """
    return f"{written or number} {noun}{'' if number == 1 else 's'}"
