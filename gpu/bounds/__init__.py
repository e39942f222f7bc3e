"""What bounds the cost of all solutions from below, and what of a graph decides its colors."""
