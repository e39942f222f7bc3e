"""Controllers of what the user shows to others or takes away."""
