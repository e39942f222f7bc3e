"""ACO-RLF on a GPU: launchers and kernels."""
