"""On CPU cores."""
