"""Local search on a GPU."""
