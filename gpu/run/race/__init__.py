"""Races: several runs side by side with the same budget."""
