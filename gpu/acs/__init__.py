"""The Ant Colony System (Skinderowicz 2016): matrix or selective pheromone memory."""
