"""The headless tool `snapscope-cli`: what is in a capture, as text a person likes to read, as CSV or as JSON."""

from analyzer.cli.app import main

__all__ = ["main"]
