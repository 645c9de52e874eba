"""Kernel texts that draw random numbers, with the bits of NumPy's Philox."""
