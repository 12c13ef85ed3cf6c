"""Snapscope's engine: reads captures, rebuilds snapshots, runs by itself as `snapscope-cli`; it never imports Qt."""

__version__ = "0.1.0"
