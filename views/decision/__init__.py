"""The view of one ant's decision."""
