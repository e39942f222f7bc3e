"""ACO-RLF on the CPU."""
