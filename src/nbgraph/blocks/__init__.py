"""Operators on Dask arrays: lazy, block by block.

`carrier` takes the calls. Scalar functions are mapped over blocks (`elementwise`), reductions and
row programs become trees of totals (`reductions`), operators over whole arrays are Dask's own
functions, run on blocks that do not depend on each other, or are refused (`routes`). A function
that was traced is replayed node by node (`replay`), which makes derivatives of it lazy, too.
"""
