"""Keywords that optimisers hand on to `Optimizer`, as type checkers and editors see them."""

from __future__ import annotations

from typing import TypedDict

from nbgraph.optim.parameters import Multipliers
from nbgraph.optim.scaling import LossScaler


class Options(TypedDict, total=False):
    """Options of every optimiser; `Optimizer` documents them."""

    weight_decay: float
    clip_value: float | None
    clip_norm: float | None
    rescale: float
    lr_mult: Multipliers
    wd_mult: Multipliers
    scaler: LossScaler | None
    multi_precision: bool
    joint: bool


class AdamOptions(Options, total=False):
    """Options of `Adam`, for optimisers that add none."""

    betas: tuple[float, float]
    eps: float
    amsgrad: bool
