"""Starts the sniffer: `python -m analyzer.capture.live`."""

from __future__ import annotations

import sys

from analyzer.capture.live.child import main

sys.exit(main(sys.argv[1:]))
