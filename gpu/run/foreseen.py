"""What is said as soon as it is known: that an iteration takes longer than the run may."""

from __future__ import annotations

from gpu.core.colony import Colony, Foreseeing

_SURE = 0.5  # seconds of an iteration, after which is said how long it will take


def warning(colony: Colony, spent: float, limit: float | None) -> str:
    """Return a warning for the first iteration, in which so many seconds are ``spent``.

    It is empty while nothing is known, and if the iteration fits into the ``limit`` in seconds.
    """
    if limit is None or not isinstance(colony, Foreseeing) or spent <= min(_SURE, limit / 2):
        return ""
    expected = max(colony.expected_seconds(), spent)
    if expected <= limit:
        return ""
    return (
        f"an iteration takes some {float(f'{expected:.2g}'):g} s or more here, and the time limit "
        f"is {limit:g} s: use fewer ants, or allow more time"
    )
