"""Ants of an iteration that walk, in whatever view: the bar, what is held back, the picture."""
