"""Focused ACO on a GPU."""
