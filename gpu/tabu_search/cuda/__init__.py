"""Tabu search on a GPU."""
