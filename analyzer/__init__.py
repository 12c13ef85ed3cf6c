"""Snapscope's engine: reads captures, rebuilds snapshots, runs by itself as `snapscope-cli`; it never imports Qt."""

import os

# numpy would ask for huge pages for every array of 4 MiB and more. The states of each client are one; making room for
# them took three times as long with huge pages, and more memory. numpy reads this when it is imported.
os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")

__version__ = "0.1.0"
