"""One widget a file; each draws what a snapshot holds."""
