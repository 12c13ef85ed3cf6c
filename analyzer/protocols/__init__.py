"""The list of protocols this program reads. Adding one is a folder here and its line below."""

from __future__ import annotations

from analyzer.protocols.base import Protocol
from analyzer.protocols.teeworlds import PROTOCOL as TEEWORLDS

PROTOCOLS: tuple[Protocol, ...] = (TEEWORLDS,)
