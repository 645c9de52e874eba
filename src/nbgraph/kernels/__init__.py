"""From a scalar function to a compiled loop.

capture -> scalar graph -> derivative -> depend -> loops (what a loop does, as data) -> source
(text for Numba) -> cpu (object code, kept by `codegen`) -> kernel (in memory) -> entry (the call).
"""
