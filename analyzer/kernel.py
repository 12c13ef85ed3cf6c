"""Compiles the functions that decode in bulk: the only module that imports numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numba

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function when it is first called."""
    compiled: Callable[P, R] = numba.njit(nogil=True, cache=True, boundscheck=True)(function)
    return compiled
