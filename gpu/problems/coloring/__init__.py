"""Graph coloring: instances, files, checks, heuristics."""
