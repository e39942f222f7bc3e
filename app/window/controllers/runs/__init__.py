"""Controllers of the run in sight and of the list of runs."""
