"""From text to a kernel in memory: compilers, kernels by content, and the quick ways to call
them."""
