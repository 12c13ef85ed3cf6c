"""What one epoch knows of its ticks, as arrays, and how that changes (spec section 17.4).

The functions are written in the subset of Python that numba compiles: protocols call them as they are, on memoryviews,
and compiled kernels call them on the arrays behind (kernels.py). What takes objects, such as causes of failures, is
kept beside by tick, and marked in FLAGS.
"""
