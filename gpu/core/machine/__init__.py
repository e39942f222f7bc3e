"""The machine that runs colonies: its devices, cores and memory, and what is compiled on it."""
