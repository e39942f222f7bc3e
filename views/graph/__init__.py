"""Views of a graph and its coloring."""
