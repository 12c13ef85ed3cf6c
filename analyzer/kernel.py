"""Compiles the functions that decode in bulk: the only module that imports numba, which takes a noticeable time.

Only modules named `kernels.py` or `..._kernels.py` import it, and they are imported where their kernels are used: see
kernel_cache.py for whether that is worth while.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

from analyzer import kernel_cache

kernel_cache.prepare()

import numba  # noqa: E402 (it reads the place of its cache while it is imported)

P = ParamSpec("P")
R = TypeVar("R")

_KERNELS: list[Callable[..., object]] = []


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function over numpy arrays when it is first called, or load it from the cache.

    It runs without the interpreter's lock, and makes no arrays but views. An index out of bounds raises IndexError: a
    mistake of ours, as kernels check every index that input decides. With NUMBA_DISABLE_JIT=1 it is the function
    itself.
    """
    # Kernels allocate nothing, and counting references to the arrays they get would take a third of their time. Calls
    # among them would take another third: each hands over seven numbers for every array. numba's own library uses both
    # options.
    compiled: Callable[P, R] = numba.njit(  # type: ignore[call-overload]
        nogil=True, cache=True, boundscheck=True, _nrt=False, forceinline=True
    )(function)
    _KERNELS.append(compiled)
    return compiled


class Compiled:
    """Compiled copies of functions that call each other, which go on to run as they are by their own names."""

    def __init__(self, functions: Sequence[Callable[..., object]]) -> None:
        """`functions`: with all that they call; no two have the same name."""
        self._compiled: dict[str, Any] = {}
        # Whatever one calls is looked up here when it is compiled.
        globals_of: dict[str, dict[str, object]] = {}
        for function in functions:
            assert isinstance(function, FunctionType)
            own = globals_of.setdefault(function.__module__, dict(function.__globals__))
            copy = FunctionType(function.__code__, own, function.__name__, function.__defaults__)
            self._compiled[function.__name__] = kernel(copy)
        for names in globals_of.values():
            names.update(self._compiled)

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """The compiled copy of one of them."""
        found: Callable[P, R] = self._compiled[function.__name__]
        return found


def kernel_signatures() -> dict[str, int]:
    """Every kernel whose module was imported, and for how many types of arguments it is compiled in this process."""
    return {f"{one.__module__}.{one.__name__}": len(getattr(one, "signatures", ())) for one in _KERNELS}
