"""The gpx colonies on the CPU."""
