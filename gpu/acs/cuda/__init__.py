"""The Ant Colony System on a GPU: launchers and kernels."""
