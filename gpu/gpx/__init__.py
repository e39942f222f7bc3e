"""Colonies that cross colorings, repair them by tabu search, and search beside that: ours, HEAD."""
