"""Adapters from the tables and from answers to Qt item models: no decoding, no sorting by hand, no colours."""
