"""Races: several colonies on one instance with one budget, and how they compare."""
