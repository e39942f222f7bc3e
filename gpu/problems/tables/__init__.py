"""Tables, in whatever file: rows of cells, and what stands in them."""
