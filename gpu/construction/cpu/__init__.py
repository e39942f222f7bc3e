"""Tour construction by the random proportional rule on the CPU."""
