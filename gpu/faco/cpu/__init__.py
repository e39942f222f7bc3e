"""Focused ACO on the CPU."""
