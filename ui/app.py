"""The `snapscope` command: shows a capture, or the bundled sample, by printing its summary."""

from __future__ import annotations

import sys

from analyzer import cli
from analyzer.resources import resource

SAMPLE = "samples/ddnet_learntoplay.pcap.gz"


def main() -> int:
    """Entry point; the exit code is that of `snapscope-cli summary`."""
    return cli.main(["summary", *(sys.argv[1:] or [str(resource(SAMPLE))])])
