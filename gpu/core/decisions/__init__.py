"""What one ant or search decides at one step, of whatever kind, and the rule that replays it."""
