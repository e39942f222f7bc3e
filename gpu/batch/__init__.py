"""Many runs: studies kept in one SQLite file, speedups, comparisons."""
