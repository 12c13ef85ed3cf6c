"""Append-only columns, their journal and the rows on their way to them: data, no logic."""
