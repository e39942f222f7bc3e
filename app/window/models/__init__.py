"""What the window shows, apart from any window: runs and the loaded instance."""
