"""The MAX-MIN Ant System on a GPU: launchers and kernels."""
