"""Local search on the CPU."""
