"""Files that people bring and take away: instances, logs, exports, presets."""
