"""Compiles the functions that decode in bulk: the only module that imports numba, which takes a noticeable time.

Only modules named `kernels.py` or `..._kernels.py` import it, and they are imported where their kernels are used: see
kernel_cache.py for whether that is worth while.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from analyzer import kernel_cache

kernel_cache.prepare()

import numba  # noqa: E402 (it reads the place of its cache while it is imported)

P = ParamSpec("P")
R = TypeVar("R")

_KERNELS: list[Callable[..., object]] = []


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function over numpy arrays when it is first called, or load it from the cache.

    It runs without the interpreter's lock. An index out of bounds raises IndexError: a mistake of ours, as kernels
    check every index that input decides. With NUMBA_DISABLE_JIT=1 it is the function itself.
    """
    compiled: Callable[P, R] = numba.njit(nogil=True, cache=True, boundscheck=True)(function)
    _KERNELS.append(compiled)
    return compiled


def kernel_signatures() -> dict[str, int]:
    """Every kernel whose module was imported, and for how many types of arguments it is compiled in this process."""
    return {f"{one.__module__}.{one.__name__}": len(getattr(one, "signatures", ())) for one in _KERNELS}
