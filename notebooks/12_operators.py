# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Operators of rows, and operators with everything
#
# `@ng.op` is for functions of single elements. Two further ways are shown here: `@ng.row_op` for a
# function of a row, with a derived gradient, and `ng.Operator` for an operator with several outputs,
# hidden values and inference of shapes.

# %%
import numpy as np

import nbgraph as ng

# %% [markdown]
# ## A function of a row
#
# Write it for one row, as for a one-dimensional NumPy array. It becomes one kernel along any axis.


# %%
@ng.row_op
def log_softmax(x, *, temperature=1.0):
    shifted = (x - x.max()) / temperature
    return shifted - np.log(np.exp(shifted).sum())


scores = np.array([[2.0, 0.5, -1.0], [0.0, 0.0, 3.0]])
print(log_softmax(scores).round(3))
print(np.exp(log_softmax(scores, axis=0)).sum(axis=0))

# %% [markdown]
# Its gradient is derived from the same text and is one kernel, too.

# %%
slope = ng.grad(lambda x: log_softmax(x)[0, 0])(ng.array(scores))
share = np.exp(log_softmax(scores[0]))
print(slope.asnumpy().round(3))
assert np.allclose(slope.asnumpy()[0], [1, 0, 0] - share, atol=1e-6)

# %% [markdown]
# ## An operator with everything
#
# An `ng.Operator` computes; an `ng.OperatorProperty` says what the operator is: names, shapes, and
# what the backward pass reads. This one scales rows to length one. The length is a hidden output: it
# is kept for the backward pass and nobody else sees it.


# %%
class UnitRows(ng.Operator):
    def forward(self, ctx, in_data, req, out_data, aux_states):
        (x,) = in_data
        length = np.sqrt((x * x).sum(axis=1, keepdims=True))
        self.assign(out_data[1], req[1], length)
        self.assign(out_data[0], req[0], x / length)

    def backward(self, ctx, out_grad, in_data, out_data, req, in_grad, aux_states):
        unit, length = out_data
        along = (out_grad[0] * unit).sum(axis=1, keepdims=True)
        self.assign(in_grad[0], req[0], (out_grad[0] - along * unit) / length)


@ng.register_operator("unit_rows")
class UnitRowsProperty(ng.OperatorProperty):
    stateful = False

    def list_outputs(self):
        return ["output", "length"]

    def num_visible_outputs(self):
        return 1

    def infer_shape(self, in_shapes, out_shapes, aux_shapes):
        rows, columns = in_shapes[0]
        return [(rows, columns)], [(rows, columns), (rows, 1)], []

    def declare_backward_dependency(self, out_grad, in_data, out_data):
        return [out_grad[0], *out_data]

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return UnitRows()


# %% [markdown]
# It is an operator in every world: NumPy arrays, NDArrays, recorded gradients, compiled functions.

# %%
x = np.array([[3.0, 4.0], [6.0, 8.0]], dtype="float32")
print(ng.unit_rows(x))
print(ng.unit_rows(ng.array(x)))
print(ng.jit(ng.grad(lambda x: (ng.unit_rows(x) * ng.array([1.0, 0.0])).sum()))(ng.array(x)))

# %% [markdown]
# Mistakes in shapes are found at the call, with what `infer_shape` was asked.

# %%
try:
    ng.unit_rows(ng.ones(3))
except ValueError as error:
    print(f"{type(error).__name__}: {error}", *error.__notes__, sep="\n")

# %% [markdown]
# The same function as a row operator is shorter, and its gradient need not be written. An
# `ng.Operator` is for what no text of a row can say: another library, states, several outputs.


# %%
@ng.row_op
def unit(x):
    return x / np.sqrt((x * x).sum())


assert np.allclose(unit(x), ng.unit_rows(x))
