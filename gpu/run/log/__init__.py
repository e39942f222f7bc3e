"""Logs of runs: written as they go on, read, listed, and made again."""
