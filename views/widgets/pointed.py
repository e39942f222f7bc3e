"""What the mouse is at in one view, so that it lights up in the others."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pointed:
    """A color class, a city (vertex) or an edge; numbers begin at 0."""

    color: int = -1  # the color class, or -1
    places: tuple[int, ...] = ()  # one city, or the two cities of an edge, in its direction


NOTHING = Pointed()
