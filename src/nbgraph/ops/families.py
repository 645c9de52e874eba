"""The public names of operators over whole arrays, by family; see the package."""

from __future__ import annotations

ARRAY_FAMILIES: dict[str, str] = {
    "shape": (
        "reshape ravel transpose permute_dims swapaxes moveaxis matrix_transpose expand_dims "
        "squeeze broadcast_to broadcast_arrays"
    ),
    "slicing": "slice_view slice_scatter flip diagonal diagonal_scatter",
    "sections": "split_part split array_split unstack atleast_1d atleast_2d atleast_3d",
    "reductions": "sum sum_to prod",
}
