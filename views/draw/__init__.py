"""The board on which a user draws cities."""
