"""Icons, style, presets and bundled instances: data only."""
