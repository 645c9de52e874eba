"""Operators as a person writes them: of MXNet's document, and small ones that show one thing each.

Importing this registers them; each begins with `mx_`.
"""

from pathlib import Path

import numba
import numpy as np

import nbgraph as ng
from nbgraph.operator import registry
from nbgraph.shape import merged

PREFIX = "mx_"
ROOT = Path(__file__).resolve().parents[3]


# ------------------------------------------------------- of the document: FC, pooling, convolution


class FullyConnected(ng.Operator):
    def __init__(self, param):
        self.param = param

    def forward(self, ctx, in_data, req, out_data, aux_states):
        x = in_data[0].reshape(len(in_data[0]), -1)
        out = x @ in_data[1].T
        if not self.param.no_bias:
            out = out + in_data[2]
        self.assign(out_data[0], req[0], out)

    def backward(self, ctx, out_grad, in_data, out_data, req, in_grad, aux_states):
        (grad,) = out_grad
        x = in_data[0].reshape(len(in_data[0]), -1)
        self.assign(in_grad[0], req[0], (grad @ in_data[1]).reshape(in_data[0].shape))
        self.assign(in_grad[1], req[1], grad.T @ x)
        if not self.param.no_bias:
            self.assign(in_grad[2], req[2], grad.sum(axis=0))


@ng.register_operator(PREFIX + "connected")
class FullyConnectedProp(ng.OperatorProperty):
    """x @ weight.T + bias, the axes of x behind the first taken as one."""

    stateful = False

    class Param(ng.Param):
        num_hidden: int = ng.field(lower=1, doc="Columns of the result.")
        no_bias: bool = False

    def list_arguments(self):
        return ["data", "weight"] if self.param.no_bias else ["data", "weight", "bias"]

    def infer_shape(self, in_shapes, out_shapes, aux_shapes):
        data, hidden = in_shapes[0], self.param.num_hidden
        if data is None and out_shapes[0] is not None:
            return [None, *in_shapes[1:]], out_shapes, []
        if data is None:
            return False
        if len(data) < 2:
            raise ng.ShapeError(f"mx_connected: data has shape {data}; give two axes or more")
        inner = None if None in data[1:] else int(np.prod(data[1:]))
        shapes = [data, (hidden, inner), (hidden,)][: len(in_shapes)]
        if len(data) == 2 and in_shapes[1] is not None:
            shapes[0] = (data[0], data[1] or in_shapes[1][1])
        batch = out_shapes[0][0] if out_shapes[0] else None
        shapes[0] = (shapes[0][0] or batch, *shapes[0][1:])
        return shapes, [(shapes[0][0], hidden)], []

    def declare_backward_dependency(self, out_grad, in_data, out_data):
        return [out_grad[0], in_data[0], in_data[1]]

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return FullyConnected(self.param)


class Pooling(ng.Operator):
    """Maximum of pairs of columns, and its gradient from input and output."""

    def forward(self, ctx, in_data, req, out_data, aux_states):
        self.assign(out_data[0], req[0], np.maximum(in_data[0][:, ::2], in_data[0][:, 1::2]))

    def backward(self, ctx, out_grad, in_data, out_data, req, in_grad, aux_states):
        wide = np.repeat(out_data[0], 2, axis=1)
        self.assign(in_grad[0], req[0], np.repeat(out_grad[0], 2, axis=1) * (in_data[0] == wide))


@ng.register_operator(PREFIX + "pooling")
class PoolingProp(ng.OperatorProperty):
    stateful = False

    def infer_shape(self, in_shapes, out_shapes, aux_shapes):
        (data,) = in_shapes
        if data is None or None in data:
            return False
        out_shapes[0] = (data[0], data[1] // 2)
        return True

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Pooling()


@numba.njit
def correlate(x, w, out):
    for n in range(out.shape[0]):
        for f in range(out.shape[1]):
            for t in range(out.shape[2]):
                total = out[n, f, t]
                for c in range(x.shape[1]):
                    for k in range(w.shape[2]):
                        total += x[n, c, t + k] * w[f, c, k]
                out[n, f, t] = total


@numba.njit
def correlate_back(grad, x, w, x_grad, w_grad):
    for n in range(grad.shape[0]):
        for f in range(grad.shape[1]):
            for t in range(grad.shape[2]):
                for c in range(x.shape[1]):
                    for k in range(w.shape[2]):
                        x_grad[n, c, t + k] += grad[n, f, t] * w[f, c, k]
                        w_grad[f, c, k] += grad[n, f, t] * x[n, c, t + k]


class Convolution(ng.Operator):
    """One axis, written with compiled loops."""

    def forward(self, ctx, in_data, req, out_data, aux_states):
        out = np.zeros_like(out_data[0])
        correlate(*in_data, out)
        self.assign(out_data[0], req[0], out)

    def backward(self, ctx, out_grad, in_data, out_data, req, in_grad, aux_states):
        made = [np.zeros(a.shape, a.dtype) for a in in_data]
        correlate_back(out_grad[0], *in_data, *made)
        for out, r, value in zip(in_grad, req, made):
            self.assign(out, r, value)


@ng.register_operator(PREFIX + "convolution")
class ConvolutionProp(ng.OperatorProperty):
    stateful = False

    class Param(ng.Param):
        num_filter: int = ng.field(lower=1)
        kernel: tuple[int, ...] = (3,)

    def list_arguments(self):
        return ["data", "weight"]

    def infer_shape(self, in_shapes, out_shapes, aux_shapes):
        n, c, t = in_shapes[0]
        filters, (size,) = self.param.num_filter, self.param.kernel
        return [(n, c, t), (filters, c, size)], [(n, filters, t - size + 1)], []

    def declare_backward_dependency(self, out_grad, in_data, out_data):
        return [*out_grad, *in_data]

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Convolution()


# ------------------------------------------------------------------------- one thing each


class Exp(ng.Operator):
    """Its gradient is written with the output; both ways in place."""

    requests = []  # (pass, request, whether memory is shared) of all calls

    def forward(self, ctx, in_data, req, out_data, aux_states):
        shared = np.may_share_memory(in_data[0], out_data[0])
        Exp.requests.append(("forward", req[0].name, shared))
        assert out_data[0].shape == in_data[0].shape
        self.assign(out_data[0], req[0], np.exp(in_data[0]))

    def backward(self, ctx, out_grad, in_data, out_data, req, in_grad, aux_states):
        shared = np.may_share_memory(out_grad[0], in_grad[0])
        shared = shared or np.may_share_memory(out_data[0], in_grad[0])
        Exp.requests.append(("backward", req[0].name, shared))
        self.assign(in_grad[0], req[0], out_grad[0] * out_data[0])


@ng.register_operator(PREFIX + "exp")
class ExpProp(ng.OperatorProperty):
    stateful = False

    def infer_shape(self, in_shapes, out_shapes, aux_shapes):
        known = merged(in_shapes[0], out_shapes[0], "mx_exp")
        return [known], [known], []

    def declare_backward_dependency(self, out_grad, in_data, out_data):
        return [out_grad[0], out_data[0]]

    def forward_inplace_option(self, in_data, out_data):
        return [(in_data[0], out_data[0])]

    def backward_inplace_option(self, out_grad, in_data, out_data, in_grad):
        return [(out_grad[0], in_grad[0]), (out_data[0], in_grad[0])]

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Exp()


class Drop(ng.Operator):
    """Random in training; the mask is a hidden output."""

    def __init__(self, p):
        self.p = p

    def forward(self, ctx, in_data, req, out_data, aux_states):
        out, mask = out_data
        factor = np.ones(mask.shape, mask.dtype)
        if ctx.is_train:
            factor = (ctx.requested[0].get_random().random(mask.shape) >= self.p) / (1 - self.p)
        self.assign(mask, req[1], factor)
        self.assign(out, req[0], in_data[0] * factor)

    def backward(self, ctx, out_grad, in_data, out_data, req, in_grad, aux_states):
        assert ctx.requested == ()
        self.assign(in_grad[0], req[0], out_grad[0] * out_data[1])


@ng.register_operator(PREFIX + "drop")
class DropProp(ng.OperatorProperty):
    stateful = False

    class Param(ng.Param):
        p: float = ng.field(0.5, lower=0, upper=0.99)

    def list_outputs(self):
        return ["output", "mask"]

    def num_visible_outputs(self):
        return 1

    def infer_shape(self, in_shapes, out_shapes, aux_shapes):
        return in_shapes, in_shapes * 2, []

    def declare_backward_dependency(self, out_grad, in_data, out_data):
        return [out_grad[0], out_data[1]]

    def forward_resource(self, in_shapes):
        return ["parallel_random"]

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Drop(self.param.p)


class Moving(ng.Operator):
    """Subtract a moving mean, which training moves."""

    def __init__(self, momentum):
        self.momentum = momentum

    def forward(self, ctx, in_data, req, out_data, aux_states):
        (mean,) = aux_states
        if ctx.is_train:
            mean *= self.momentum
            mean += (1 - self.momentum) * in_data[0].mean(axis=0)
        self.assign(out_data[0], req[0], in_data[0] - mean)

    def backward(self, ctx, out_grad, in_data, out_data, req, in_grad, aux_states):
        self.assign(in_grad[0], req[0], out_grad[0] * 1)


@ng.register_operator(PREFIX + "moving")
class MovingProp(ng.OperatorProperty):
    stateful = False

    class Param(ng.Param):
        momentum: float = 0.5

    def list_auxiliary_states(self):
        return ["mean"]

    def initial(self, name):
        return 1.0 if name == "mean" else None

    def infer_shape(self, in_shapes, out_shapes, aux_shapes):
        (data,) = in_shapes
        return [data], [data], [None if data is None else data[1:]]

    def declare_backward_dependency(self, out_grad, in_data, out_data):
        return out_grad

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Moving(self.param.momentum)


class Split(ng.Operator):
    """Two outputs: sine and cosine."""

    def forward(self, ctx, in_data, req, out_data, aux_states):
        self.assign(out_data[0], req[0], np.sin(in_data[0]))
        self.assign(out_data[1], req[1], np.cos(in_data[0]))

    def backward(self, ctx, out_grad, in_data, out_data, req, in_grad, aux_states):
        (x,) = in_data
        self.assign(in_grad[0], req[0], out_grad[0] * np.cos(x) - out_grad[1] * np.sin(x))


@ng.register_operator(PREFIX + "circle")
class SplitProp(ng.OperatorProperty):
    stateful = False

    def list_arguments(self):
        return ["angle"]

    def list_outputs(self):
        return ["sine", "cosine"]

    def infer_shape(self, in_shapes, out_shapes, aux_shapes):
        return in_shapes, in_shapes * 2, []

    def declare_backward_dependency(self, out_grad, in_data, out_data):
        return [*out_grad, *in_data]

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Split()


class Remember(ng.Operator):
    """What forward leaves on itself, backward reads: a mask, and how often it ran."""

    def __init__(self):
        self.runs = 0

    def forward(self, ctx, in_data, req, out_data, aux_states):
        self.runs += 1
        self.mask = in_data[0] > 0
        self.assign(out_data[0], req[0], in_data[0] * self.mask + 100 * (self.runs - 1))

    def backward(self, ctx, out_grad, in_data, out_data, req, in_grad, aux_states):
        self.assign(in_grad[0], req[0], out_grad[0] * self.mask)


@ng.register_operator(PREFIX + "remember")
class RememberProp(ng.OperatorProperty):
    created = []

    def infer_shape(self, in_shapes, out_shapes, aux_shapes):
        return in_shapes, in_shapes, []

    def declare_backward_dependency(self, out_grad, in_data, out_data):
        return out_grad

    def create_operator(self, ctx, in_shapes, in_dtypes):
        RememberProp.created.append((ctx, tuple(in_shapes), tuple(in_dtypes)))
        return Remember()


class Sort(ng.Operator):
    """No backward."""

    def forward(self, ctx, in_data, req, out_data, aux_states):
        self.assign(out_data[0], req[0], np.sort(in_data[0]))


@ng.register_operator(PREFIX + "sort")
class SortProp(ng.OperatorProperty):
    def infer_shape(self, in_shapes, out_shapes, aux_shapes):
        return in_shapes, in_shapes, []

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Sort()


REGISTERED = [registry.find(n) for n in registry.names() if n.startswith(PREFIX)]
