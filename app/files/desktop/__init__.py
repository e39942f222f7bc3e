"""The program in the menus of a desktop, with its icon and the types of its files."""
