"""Starts the sniffer: `python -m analyzer.capture.live`."""

from __future__ import annotations

import signal
import sys

# Until it can stop in good order an interrupt just ends it: raised while modules load it would be a traceback.
signal.signal(signal.SIGINT, signal.SIG_DFL)

from analyzer.capture.live.child import main  # noqa: E402

sys.exit(main(sys.argv[1:]))
