"""The panes of the window."""
