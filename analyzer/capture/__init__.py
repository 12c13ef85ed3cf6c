"""Capture files: their formats, following them while they grow, and unpacking."""
