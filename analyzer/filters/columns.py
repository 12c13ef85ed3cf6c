"""How the values of the fields that tables hold are read."""

from __future__ import annotations

from analyzer.filters import message_columns, packet_columns, snapshot_columns
from analyzer.filters.stretches import Read

READERS: dict[str, Read] = {**packet_columns.READERS, **message_columns.READERS, **snapshot_columns.READERS}
"""By name of the field."""
