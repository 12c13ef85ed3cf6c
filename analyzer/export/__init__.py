"""Writes what was captured to other files: the whole capture or an excerpt of it. No window, no protocol."""
