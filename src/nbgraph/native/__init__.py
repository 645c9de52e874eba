"""Raw memory, bits and conversions: Numba and LLVM intrinsics only."""
