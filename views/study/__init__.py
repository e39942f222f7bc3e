"""The view of a study: its design as a form, its progress, its results."""
