"""The panes of the main window and the views in them."""
