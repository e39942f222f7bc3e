"""The tour on its map."""
