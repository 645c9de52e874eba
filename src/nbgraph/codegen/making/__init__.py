"""Making machine code: when, by which thread, and what waits for it.

`events` is the log of compilations and of code found on disk; `report` shows it; `progress` is the
line that tells who waits; `aside` compiles where nobody waits. Nothing here imports a compiler.
"""
