"""The MAX-MIN Ant System on the CPU."""
