"""The window itself: frame, bars, actions, dashboard."""
