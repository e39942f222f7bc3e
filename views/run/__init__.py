"""What a run is made on, and what it writes."""
