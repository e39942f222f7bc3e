"""Controllers: each connects models with the views that it serves."""
