"""Changes of parameters, limits and cities while a run goes on."""
