"""Threads that work beside the window, and what they share with it."""
