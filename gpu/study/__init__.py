"""Studies: colonies × parameter values × instances × seeds, kept in one SQLite file."""
