"""Operators on Dask arrays: lazy, block by block.

`carrier` takes the calls. Scalar functions are mapped over blocks (`elementwise`), reductions and
row programs become trees of totals (`reductions`), operators over whole arrays become Dask's own
functions, run on independent blocks, or are refused (`routes`). A traced function is replayed node
by node (`replay`), so its derivatives are lazy, too.
"""
