"""The command line: files with groups of commands, and what they print."""
