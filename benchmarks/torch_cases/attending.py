"""Attention: with masks, causal, of one sequence to another; whole blocks of a transformer."""

from __future__ import annotations

from typing import Any

import nbgraph as ng
from benchmarks.torch_cases.case import Array, Case, Rng, flag, normal, numbers


def _mask(rng: Rng, *shape: int) -> Array:
    """What is seen; each row sees something."""
    seen = rng.uniform(size=shape) < 0.6
    seen[..., 0] = True
    return seen


def scaled(rng: Rng, torch: Any) -> Case:
    """`nn.attend`: a mask of what is seen, numbers that are added, or causal."""
    size, queries, keys, wide = numbers(rng, 1, 6, 4)
    lead = numbers(rng, 1, 3, int(rng.integers(1, 3)))
    kind = ("none", "causal", "seen", "added")[int(rng.integers(4))]
    if kind == "causal":
        keys = queries  # PyTorch aligns the first positions, we the last
    mask: Any = None
    if kind == "seen":
        mask = _mask(rng, queries, keys)
    if kind == "added":
        mask = rng.normal(size=(*lead, queries, keys))
    judge = None if mask is None else torch.from_numpy(mask)
    operands = [normal(rng, *lead, n, w) for n, w in
                ((queries, size), (keys, size), (keys, wide))]  # fmt: skip
    with_math = torch.nn.attention.SDPBackend.MATH  # the one that has second derivatives

    def theirs(*v: Any) -> Any:
        with torch.nn.attention.sdpa_kernel([with_math]):
            return torch.nn.functional.scaled_dot_product_attention(
                *v, attn_mask=judge, is_causal=kind == "causal"
            )

    def ours(*v: Any) -> Any:
        return ng.nn.attend(*v, mask=mask, causal=kind == "causal")

    return Case(f"nn.attend {kind}", operands, ours, theirs)


def heads(rng: Rng, torch: Any) -> Case:
    """`nn.MultiHeadAttention` with PyTorch's weights; keys that are not to be seen."""
    count, each, rows, length, other = numbers(rng, 1, 4, 5)
    units, causal = count * each, flag(rng)
    itself = causal or flag(rng)
    keys = length if itself else other
    padded = _mask(rng, rows, keys) if flag(rng) else None
    layer = ng.nn.MultiHeadAttention(units, heads=count, causal=causal)
    judge = torch.nn.MultiheadAttention(units, count, batch_first=True).double()
    weights = [normal(rng, *shape) for shape in ((units, units), (units,)) * 4]
    data = [normal(rng, rows, length, units)]
    if not itself:
        data.append(normal(rng, rows, keys, units))
    hidden = None if padded is None else torch.from_numpy(~padded)
    later = torch.triu(torch.ones(length, length, dtype=torch.bool), 1) if causal else None

    def ours(*given: Any) -> Any:
        w = given[len(data) :]
        for k, dense in enumerate((layer.query, layer.key, layer.value, layer.out)):
            dense.weight, dense.bias = w[2 * k : 2 * k + 2]
        seen = None if padded is None else padded[:, None, None, :]
        return layer(*given[: len(data)], mask=seen)

    def theirs(*given: Any) -> Any:
        w = given[len(data) :]
        named = {
            "in_proj_weight": torch.cat([w[0], w[2], w[4]]),
            "in_proj_bias": torch.cat([w[1], w[3], w[5]]),
            "out_proj.weight": w[6],
            "out_proj.bias": w[7],
        }
        source = given[len(data) - 1]
        how = {"key_padding_mask": hidden, "attn_mask": later, "need_weights": False}
        with torch.nn.attention.sdpa_kernel([torch.nn.attention.SDPBackend.MATH]):
            call = torch.func.functional_call
            return call(judge, named, (given[0], source, source), how)[0]

    text = f"nn.MultiHeadAttention heads={count} {causal=} {itself=} padded={padded is not None}"
    return Case(text, [*data, *weights], ours, theirs, tolerance=1e-8)


KINDS = {"scaled": scaled, "heads": heads}
