"""The recorded past of a run: its solutions and trails, and moving through it."""
