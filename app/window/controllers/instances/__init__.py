"""Controllers of instances: opening, drawing, generating and fetching them."""
