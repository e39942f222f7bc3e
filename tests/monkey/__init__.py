"""Random use of the whole window: errors, stalls, memory."""
