"""Pictures of graphs that take too long to compute for the thread that shows them."""
