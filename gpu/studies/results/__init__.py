"""What the runs of a study show: findings, tests, tables, and how important each parameter is."""
