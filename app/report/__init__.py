"""The results of a study as one HTML page, and its plots as files."""
