"""Object code: made, kept on disk, loaded, called from Python.

`target` turns LLVM text into machine code and back into memory; `cache` keeps it on disk; `unit`
makes one object file of many Numba functions; `fastcall` makes Python callables over symbols.
"""
