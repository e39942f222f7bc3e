"""Tabu search for colorings (Hertz and de Werra 1987)."""
