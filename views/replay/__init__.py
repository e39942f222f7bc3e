"""The bar that moves through the past of a run, and the form of a film."""
