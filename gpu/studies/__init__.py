"""Studies: designs, their cases, what does them, the file that keeps them, what it shows."""
