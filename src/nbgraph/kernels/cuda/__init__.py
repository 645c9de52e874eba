"""Kernels for NVIDIA GPUs: the same loop descriptions and records, emitted for many threads.

`emit` writes a loop as text in the vocabulary of all kernels, with a few more primitives: the index
of a unit in the grid, a vector of elements, a value of another thread. The compiler of
`nbgraph.kernels.llvm` reads it, and LLVM, which comes with Numba, generates PTX. So compiling needs
no package of CUDA, and the mathematics is the library's own, to the last bit.

A kernel has the signature `(args, start, step)`: a unit begins with the element, column or row
`start` and advances by the grid's step. If units are threads ("map", "leading", "columns", "fold",
"scan", "at"), the same text compiled for the host does a grid's work when called for each start in
turn; if they are blocks of threads ("reduce", "totals", "rows"), threads exchange values, which the
simulator shows.

grid        compile-time properties of a launch: lanes, rank, threads
writer      the base of all forms
maps        one value per element, several elements per thread at once
reductions  a value per block of a run, row or column; scans and indexed updates, in order
rows        row programs, by blocks of threads or with a row per thread
vocabulary  the primitives of this room, as LLVM instructions for the GPU and the host
compile     from a loop to PTX
kernel      kernels in memory and in the disk cache, once per content
"""
