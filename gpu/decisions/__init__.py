"""What an ant will do in the coming iteration, one step at a time."""
