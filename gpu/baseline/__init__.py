"""Colonies on the CPU: what speedups are measured against, and what runs without a GPU."""
