"""What the runs of a study say: summaries, tests, and what its plots and tables show."""
