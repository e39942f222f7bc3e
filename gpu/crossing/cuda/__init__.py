"""The crossing colony on a GPU."""
