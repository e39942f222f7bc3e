"""Plots and tables of a run and of measurements."""
