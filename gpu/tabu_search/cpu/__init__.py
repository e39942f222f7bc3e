"""Tabu search on the CPU."""
