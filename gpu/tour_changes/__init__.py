"""Ants that change tours: a search around a place, exchanges of edges, merging; lists they read."""
