"""Tour construction by the random proportional rule on a GPU."""
