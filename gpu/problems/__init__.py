"""The problems: what is common to all here, and a folder for each."""
