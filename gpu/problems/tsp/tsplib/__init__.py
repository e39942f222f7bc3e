"""Instances in TSPLIB's files."""
