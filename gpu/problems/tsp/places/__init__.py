"""Places: tables, maps and objects with coordinates, in the plane or on the globe, as instances."""
