"""Sums and distributions over the tables."""
