"""The MAX-MIN Ant System (Skinderowicz 2020): trails between limits, one tour deposits."""
