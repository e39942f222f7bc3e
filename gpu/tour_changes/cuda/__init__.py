"""On a GPU."""
