"""Focused colonies: ants that change a few edges of a common tour, and search on from there."""
