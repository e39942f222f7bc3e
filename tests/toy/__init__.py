"""A family of its own, outside the program: what a new colony needs, and nothing else."""
