"""Open routes, fixed and forbidden edges: instances of them, and their stops."""
