"""Files that users open and save: instances, logs, exports, presets."""
