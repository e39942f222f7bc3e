"""The travelling-salesman problem: instances, files, distances, candidate lists, checks."""
