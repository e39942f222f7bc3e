"""Controllers of comparisons: measurements, races, studies."""
