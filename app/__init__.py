"""What happens when: the command line, the window's controllers, files."""
