"""What explains the window: the guides, and a tour of it."""
