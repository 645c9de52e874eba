"""Compilers from emitted text to kernels in memory, the cache of kernels by content, and fast ways
to call them."""
