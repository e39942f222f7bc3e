"""Tour construction by the random proportional rule, which several families share."""
