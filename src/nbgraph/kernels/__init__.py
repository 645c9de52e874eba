"""From a scalar function to a compiled loop.

capture -> scalar graph -> derivative -> depend -> loops (what a loop does, as data) -> source
(text for Numba) -> cpu (object code) -> cache (disk) -> kernel (in memory) -> entry (the call).
"""
