"""What the parameters of colonies whose ants change tours have in common."""

from __future__ import annotations

AUTOMATIC, ALPHA, QUADRANTS = "automatic", "alpha", "quadrants"
"""Which cities are near a city."""

NEARNESS = {
    ALPHA: "those whose edges most likely belong to a short tour (Helsgaun 2000)",
    QUADRANTS: "the nearest, and the nearest in each direction: known at once",
}

ALPHA_LIMIT = 20_000  # cities up to which α is worth the seconds that it takes

STRONGEST = 100.0
"""The trail of an edge that is always in all tours; the least one is 1."""
