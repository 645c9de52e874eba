"""Kernels for NVIDIA GPUs: the same loop descriptions and records, written for many threads.

`emit` writes a loop as text in the vocabulary that all kernels are written in, with a few words
more: which unit of the grid this is, a vector of elements, a value of another thread. The compiler
of `nbgraph.kernels.llvm` reads it, and LLVM, which comes with Numba, makes PTX of it. So no package
of CUDA is needed to compile a kernel, and the mathematics is the library's own, to the last bit.

A kernel has the signature `(args, start, step)`: a unit begins with the element, column or row
`start` and goes on in steps of the grid. Where units are threads ("map", "leading", "columns",
"fold", "scan", "at") the same text, compiled for the host, does what a grid does when it is called
for one start after another; where they are blocks of threads ("reduce", "totals", "rows") threads
exchange values, which the simulator shows.

grid        what is fixed at compile time of a launch: lanes, rank, threads
writer      what all forms share
maps        one value an element, several elements a thread at once
reductions  a value for each block of a run, row or column; scans and indexed updates, in order
rows        row programs, by blocks of threads or with a row for each thread
vocabulary  the words of this room, as LLVM instructions for the GPU and the host
compile     from a loop to PTX
kernel      kernels in memory and in the disk cache, once per content
"""
