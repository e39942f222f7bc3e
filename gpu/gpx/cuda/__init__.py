"""The gpx colonies on a GPU."""
