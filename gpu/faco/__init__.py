"""Focused ACO (Skinderowicz 2022): ants that leave a common tour for a few edges."""
