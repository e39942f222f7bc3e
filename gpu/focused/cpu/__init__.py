"""Focused colonies on the CPU."""
