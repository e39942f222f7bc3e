"""Colonies whose ants have a tour each, and cross it with another ant's."""
