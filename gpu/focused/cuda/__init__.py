"""The focused colony on a GPU."""
