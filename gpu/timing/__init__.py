"""How fast colonies are: speedups and comparisons, measured in turns in this process."""
