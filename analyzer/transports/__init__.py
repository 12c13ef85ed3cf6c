"""Packet layers that several protocols can share."""
