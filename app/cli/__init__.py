"""The command line: a file a group of commands, and what they print."""
