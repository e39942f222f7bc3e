"""Measurements: speedups, comparisons, and the controls that start them."""
