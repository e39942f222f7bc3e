"""The Ant System on the CPU."""
