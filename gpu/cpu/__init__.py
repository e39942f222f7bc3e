"""What colonies on the CPU share: threads, stages, compiled pieces."""
