"""Distances between cities that are given one by one: matrices and lists, as instances."""
