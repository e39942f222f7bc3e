"""The Ant System on a GPU: launchers and kernels."""
