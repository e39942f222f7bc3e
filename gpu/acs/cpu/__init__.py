"""The Ant Colony System on the CPU."""
