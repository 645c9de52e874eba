"""Calls of `ng.nd` and `ng.sym` with MXNet's arguments, for operators with NumPy's: a table.

A call that the operator supports is the operator's, so `ng.nd.sum(x, axis=0)` is `ng.sum`. One with
a keyword that it lacks is MXNet's: `data`, `lhs` and the like are operands, `ctx` is the device,
and a row has MXNet's full signature, with the equivalent call. The dtypes of results stay the
operator's: indices are integers, comparisons bool; `arange` and `full` make float32 of integers.
"""

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from nbgraph.device import Context
from nbgraph.operator import registry
from nbgraph.operator.declared import define, parse
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.namespace import signature_of
from nbgraph.ops.carrier.methods import is_coded
from nbgraph.ops.define import as_array, library
from nbgraph.ops.named.composites import several

_TABLE = """adaptive_avg_pooling(data, output_size=1):
    = call.adaptive_avg_pooling(data, output_size)
arange(start, stop=None, step=1, repeat=1, infer_range=False, dtype="float32", device=None):
    = then("repeat", None if repeat == 1 else repeat,
        call.arange(start, stop, step, dtype, device=device))
argsort(data, axis=-1, is_ascend=True, dtype="int64"):
    = call.astype(library.argsort(data, axis, descending=not is_ascend), dtype)
broadcast_to(data, shape=()):
    = call.broadcast_axis(data, [d for d, n in enumerate(shape) if n], [n for n in shape if n])
clip(data, a_min, a_max):
    = call.clip(data, a_min, a_max)
dot(lhs, rhs, transpose_a=False, transpose_b=False):
    = call.dot(lhs, rhs, transpose_a=transpose_a, transpose_b=transpose_b, first=True)
eye(N, M=0, k=0, dtype=None, device=None):
    = call.eye(N, M or None, k, dtype, device=device)
full(shape, val, device=None, dtype=None):
    = call.full(shape, val, dtype or ("float32" if type(val) is int else None), device=device)
hard_sigmoid(data, alpha=0.2, beta=0.5):
    = call.hard_sigmoid(data, alpha=alpha, beta=beta)
identity(data):
    = call.copy(data)
index_copy(old_tensor, index_vector, new_tensor):
    = call.index_copy(old_tensor, index_vector, new_tensor)
linalg_potrf(A, lower=True):
    = call.linalg_potrf(A) if lower else call.matrix_transpose(library.linalg_potrf(A))
linalg_potri(A, lower=True):
    = call.linalg_potri(A if lower else library.matrix_transpose(A))
log_softmax(data, axis=-1, temperature=None, dtype=None, use_length=False):
    = then("astype", dtype, call.log_softmax(data, axis, temperature=temperature))
norm(data, ord=2, axis=None, out_dtype=None, keepdims=False):
    = then("astype", out_dtype, call.vector_norm(data, axis=axis, ord=ord, keepdims=keepdims))
pick(data, index, axis=-1, keepdims=False, mode="clip"):
    = call.pick(data, index, axis, keepdims=keepdims, mode=mode)
rint(data):
    = call.where(library.greater(library.subtract(data, library.floor(data)), 0.5),
        library.ceil(data), library.floor(data))
round(data):
    = call.where(library.less(library.abs(library.subtract(data, library.trunc(data))), 0.5),
        library.trunc(data), library.add(library.trunc(data), library.sign(data)))
smooth_l1(data, scalar=1.0):
    = call.smooth_l1(data, sigma=scalar)
softmax(data, length=None, axis=-1, temperature=None, use_length=False, dtype=None):
    = then("astype", dtype, call.softmax(
        data, axis, temperature=temperature, length=length if use_length else None))
softmin(data, axis=-1, temperature=None, use_length=False, dtype=None):
    = then("astype", dtype, call.softmin(data, axis, temperature=temperature))
sort(data, axis=-1, is_ascend=True):
    = call.sort(data, axis, descending=not is_ascend)
stack(*data, axis=0, num_args=None):
    = call.stack(list(several(data)), axis)
swapaxes(data, dim1=0, dim2=0):
    = call.swapaxes(data, dim1, dim2)
take(a, indices, axis=0, mode="clip"):
    = call.take(a, library.astype(indices, "int64"), axis, mode=mode)
topk(data, axis=-1, k=1, ret_typ="indices", is_ascend=False, dtype="int64"):
    = then("reshape_like", data if axis is None and ret_typ == "mask" else None, then("astype",
        dtype if ret_typ == "indices" else None, call.topk(
        library.ravel(data) if axis is None else data, k, -1 if axis is None else axis,
        is_ascend=is_ascend, ret_typ=ret_typ)))
transpose(data, axes=None):
    = call.transpose(data, axes or None)
where(condition, x, y):
    = call.where(library.rows_like(condition, x), x, y)
"""
_FILLED = """{0}(shape, device=None, dtype=None):
    = call.{0}(shape, dtype, device=device)
"""
_REDUCED = """{0}(data, axis=None, keepdims=False, exclude=False):
    = call.{0}(data, axis, keepdims=keepdims, exclude=exclude)
"""
# draws: `shape` counts draws per element of parameters that are arrays
_DRAWS = {
    "exponential": "scale=None, *, lam=1",
    "gamma": "alpha=1, beta=1",
    "generalized_negative_binomial": "mu=1, alpha=1",
    "negative_binomial": "k=1, p=1",
    "normal": "loc=0, scale=1",
    "poisson": "lam=1",
    "uniform": "low=0, high=1",
}
_DRAW = """random_{0}({1}, shape=None, dtype=None, device=None):
    = draws("{0}", shape, dtype, device, {2})
"""
# calls in MXNet's form that another operator carries out
_OTHERS = {
    "concatenate": "Concat",
    "pad": "Pad",
    "random_multinomial": "sample_multinomial",
    "random_shuffle": "shuffle",
    "reshape": "Reshape",
    "split": "SliceChannel",
}
# options that MXNet's calls have by position after the operands, in the signature's order
_IN_ORDER = (
    "BilinearResize2D CTCLoss Correlation Dropout GroupNorm InstanceNorm LeakyReLU MakeLoss Pad "
    "SVMOutput SequenceLast SequenceMask SequenceReverse SpatialTransformer argmax argmin "
    "batch_dot box_iou broadcast_like linalg_extractdiag linalg_gemm linalg_gemm2 linalg_makediag "
    "linalg_syrk linalg_trmm linalg_trsm linear_regression_output logistic_regression_output "
    "mae_regression_output moments nanprod nansum one_hot reshape_like roi_pooling slice_like"
).split()
_CONVOLVING = "num_filter num_group workspace no_bias cudnn_tune cudnn_off layout"
_OPTIONS = {
    **dict.fromkeys(_IN_ORDER, ""),
    "BatchNorm": "eps momentum fix_gamma use_global_stats output_mean_var axis cudnn_off",
    "Convolution": f"kernel stride dilate pad {_CONVOLVING}",
    "Deconvolution": f"kernel stride dilate pad adj target_shape {_CONVOLVING}",
    "Embedding": "input_dim output_dim dtype sparse_grad",
    "FullyConnected": "num_hidden no_bias flatten",
    "L2Normalization": "eps mode",
    "LRN": "alpha beta knorm nsize",
    "LayerNorm": "axis eps output_mean_var",
    "Pooling": "kernel pool_type global_pool cudnn_off pooling_convention stride pad p_value "
    "count_include_pad layout",
    "RNN": "state_size num_layers bidirectional mode p state_outputs",
    "softmax_output": "grad_scale ignore_label multi_output use_ignore preserve_shape "
    "normalization out_grad smooth_alpha",
}
_OVER_ALL = frozenset("max mean min nanprod nansum prod sum".split())  # where axis is ()
_PLACES = {
    **dict.fromkeys(("data", "ary", "lhs", "a", "left", "base", "tensor"), 0),
    **dict.fromkeys(("rhs", "right", "exp", "indices"), 1),
}
_OF_MAPPERS = ("out", "dtype", "where")  # options besides the signature
Call = tuple[Any, tuple[Any, ...], dict[str, Any]]


class _Calls:
    """Operators as attributes that return a call as data, for the caller that lifts its
    operands."""

    def __getattr__(self, name: str) -> Callable[..., Call]:
        return lambda *args, **kwargs: (registry.find(name), args, kwargs)


_call = _Calls()


def in_words(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    """Return the operator and the arguments of a call that may be in MXNet's form.

    >>> import nbgraph as ng
    >>> ng.nd.clip(data=[0.5, 2.0], a_min=0, a_max=1), ng.nd.reshape([[1, 2]], shape=(0, -1, 1))
    (array([0.5, 1. ]), array([[[1],
            [2]]]))
    """
    if op.__name__ in _OPTIONS:
        args, kwargs = _named_options(op, args, kwargs)
    elif not kwargs and by_names(op) and op.__name__ not in _ROWS and op.__name__ not in _OTHERS:
        return op, args, kwargs
    if kwargs.get("axis") == () and op.__name__ in _OVER_ALL:
        kwargs = {**kwargs, "axis": None}
    own = signature_of(op)
    if any(p.kind is p.VAR_KEYWORD for p in own.parameters.values()):
        return op, args, kwargs
    theirs = op.__name__ in _ALWAYS or not _fits(op, own, args, kwargs)
    if theirs or _theirs_by_value(op.__name__, own, args, kwargs):
        name = registry.name_of(op)
        if name in _OTHERS:
            return in_words(registry.find(_OTHERS[name]), args, kwargs)
        if name in _ROWS:
            row = signature_of(_ROWS[name])
            placed, options = _by_place(row, args, kwargs)
            out = {"out": options.pop("out")} if "out" in options else {}
            try:
                bound = row.bind(*placed, **options)
            except TypeError:
                return op, args, kwargs  # the operator itself reports the error
            op, args, kwargs = _ROWS[name](*bound.args, **bound.kwargs)
            return op, args, {**kwargs, **out}
    return op, *_by_place(own, args, kwargs)


def by_names(op: Any) -> bool:
    """Return whether argument names alone determine the form of an operator's call."""
    return not any(op.__name__ in names for names in (_ALWAYS, _LISTS, _BY_VALUE))


def _named_options(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the arguments with positional options by MXNet's names; unchanged if there are too
    many, or one is repeated."""
    own = signature_of(op).parameters.values()
    count = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in own)
    names = _OPTIONS[op.__name__].split() or [p.name for p in own if p.kind is p.KEYWORD_ONLY]
    names = names[: max(len(args) - count, 0)]
    if len(names) < len(args) - count or not kwargs.keys().isdisjoint(names):
        return args, kwargs
    return args[:count], {**dict(zip(names, args[count:], strict=False)), **kwargs}


def _fits(op: Any, own: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    options = [n for n in kwargs if not (isinstance(op, Mapper) and n in _OF_MAPPERS)]
    try:
        own.bind_partial(*args, **dict.fromkeys(options))
    except TypeError:
        return False
    return True


def _by_place(own: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the arguments with MXNet's names, `ctx` as device, `shape` of draws as size."""
    known, kwargs = list(own.parameters), dict(kwargs)
    for theirs, ours in (("ctx", "device"), ("shape", "size")):
        if theirs in kwargs and theirs not in known and ours in known:
            kwargs[ours] = kwargs.pop(theirs)
    names = [n for n in kwargs if n in _PLACES and n not in known]
    for name in sorted(names, key=_PLACES.__getitem__):
        if _PLACES[name] == len(args):
            args = (*args, kwargs.pop(name))
        elif len(args) < _PLACES[name] < len(known):
            kwargs[known[_PLACES[name]]] = kwargs.pop(name)
    return args, kwargs


_ALWAYS = frozenset("rint shuffle take topk where".split())  # always in MXNet's form
_LISTS = {"concatenate": 2, "stack": 1}  # MXNet passes their arrays in sequence, at least so many
# whether the value of a parameter, with the first operand, is only valid in MXNet's form
_BY_VALUE: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    **dict.fromkeys(
        ("empty", "ones", "zeros"), ("dtype", lambda dtype, _: isinstance(dtype, Context))
    ),
    "full": ("dtype", lambda dtype, _: dtype is None or isinstance(dtype, Context)),
    **dict.fromkeys(("mean", "prod", "sum"), ("dtype", lambda dtype, _: type(dtype) is bool)),
    "arange": ("dtype", lambda repeat, _: repeat is None or type(repeat) is int),
    "broadcast_to": ("shape", lambda shape, _: _sizes(shape) and 0 in shape),
    "dot": ("x2", lambda *operands: not any(hasattr(x, "tocsr") for x in operands)),
    "hard_sigmoid": ("alpha", lambda alpha, _: alpha is None),
    "identity": ("n", lambda data, _: hasattr(type(data), "dtype") and data.shape != ()),
    "multinomial": ("pvals", lambda shape, _: shape is None or type(shape) is int or _sizes(shape)),
    "norm": ("ord", lambda order, _: order in (1, 2)),
    "pad": ("pad_width", lambda widths, _: _sizes(widths) and len(widths) > 2),
    "pick": ("mode", lambda mode, _: mode is None),
    "reshape": ("shape", lambda shape, x: _sizes(shape) and is_coded(as_array(x), shape)),
    "round": ("decimals", lambda decimals, _: decimals is None),
    "transpose": ("axes", lambda axes, _: axes == ()),
}


def _sizes(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and all(isinstance(n, (int, np.integer)) for n in value)


def _theirs_by_value(
    name: str, own: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> bool:
    """Return whether values are valid only in MXNet's form, such as codes of `reshape` or flat
    widths of `pad`, or defaults differ; or several arrays replace a list."""
    if name in _LISTS:
        return len(args) >= _LISTS[name] and hasattr(type(args[_LISTS[name] - 1]), "dtype")
    if name not in _BY_VALUE or not (args or kwargs):
        return False
    parameter, is_theirs = _BY_VALUE[name]
    kwargs = {key: value for key, value in kwargs.items() if key in own.parameters}
    known = own.bind_partial(*args, **kwargs).arguments
    return is_theirs(known.get(parameter), known.get(next(iter(own.parameters))))


def _then(name: str, value: Any, call: Call) -> Call:
    """Return a call, or with a value a call of another operator on its result and the value."""
    op, args, kwargs = call
    return call if value is None else (registry.find(name), (op(*args, **kwargs), value), {})


def _draws(name: str, shape: Any, dtype: Any, device: Any, *parameters: Any) -> Call:
    """Return the call that draws numbers of this shape, or as many per element of arrays."""
    several = any(getattr(p, "shape", ()) != () for p in parameters)
    if name == "exponential":
        scale, lam = parameters
        if several:  # `sample_exponential` takes rates
            parameters = (lam if scale is None else 1 / scale,)
        else:
            parameters = (1 / lam if scale is None else scale,)
    if several:
        parameters = tuple(library.broadcast_arrays(*parameters))
        return registry.find(f"sample_{name}"), (*parameters, shape or ()), {"dtype": dtype}
    asked = {"size": shape, "dtype": dtype, "device": device}
    options = {key: value for key, value in asked.items() if value is not None}
    return registry.find(f"random_{name}"), parameters, options


def _rows() -> dict[str, Callable[..., Call]]:
    scope: dict[str, Any] = {
        "__name__": __name__,
        "call": _call,
        "draws": _draws,
        "library": library,
        "several": several,
        "then": _then,
    }
    names = lambda parameters: ", ".join(re.findall(r"\w+(?==)", parameters))
    alike = [_DRAW.format(name, own, names(own)) for name, own in _DRAWS.items()]
    alike += [_FILLED.format(name) for name in ("empty", "ones", "zeros")]
    alike += [_REDUCED.format(name) for name in ("max", "mean", "min", "prod", "sum")]
    return {
        name: scope[name] for name in define(parse("".join([_TABLE, *alike]), "library"), scope)
    }


_ROWS = _rows()
