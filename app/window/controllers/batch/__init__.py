"""Controllers of many runs: races, studies and measurements."""
