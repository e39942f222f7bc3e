"""A run without a window: session, stop criteria, the run itself, its log, checks."""
