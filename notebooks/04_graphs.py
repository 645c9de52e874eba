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
# # Graphs
#
# The notebooks before ran operators as Python met them. Here a whole program is known before it runs:
# one graph, from which gradient, fusion, memory and parallel order follow. Nothing of it is hidden.
# We take the box loss of object detection from its scalar function to the plan that the engine runs,
# and look at it before and after every step.

# %%
import numpy as np

import nbgraph as ng
from nbgraph.executor import Options

# %% [markdown]
# ## From a scalar function to a symbol
#
# A variable stands for an array that is given later. An operator applied to symbols gives a symbol; any
# operator does, also one that was written a moment ago.


# %%
@ng.op
def smooth_l1(x, *, sigma=1.0):
    s2 = sigma * sigma
    if x > 1 / s2:
        return x - 0.5 / s2
    if x < -1 / s2:
        return -x - 0.5 / s2
    return 0.5 * s2 * x * x


names = ("data", "label", "w_in", "w_out")
data, label, w_in, w_out = (ng.var(name) for name in names)
loss = ng.sum(w_out * smooth_l1(w_in * (data - label)))
print(loss.list_arguments())
print(loss)

# %% [markdown]
# The listing has a line for each node, operands by number. Shapes are not known yet. They follow from
# those of the variables; where they contradict each other, the error shows both and the way to them.

# %%
shape = (512, 4)
shapes = dict.fromkeys(names, shape)
arguments, outputs, states = loss.infer_shape(**shapes)
print(arguments, outputs)
try:
    loss.infer_shape(**{**shapes, "label": (512, 3)})
except ng.ShapeError as problem:
    print(problem)
assert outputs == [()]

# %% [markdown]
# Equal nodes are one object: structure is identity. So the same cell run twice makes the same graph, and
# finds what was compiled for it. Whatever draws random numbers is the exception: each one is its own.

# %%
assert ng.sin(data).node is ng.sin(data).node
assert ng.sin(data).node is not ng.cos(data).node
assert ng.dropout(data).node is not ng.dropout(data).node

# %% [markdown]
# ## Binding
#
# `simple_bind` makes arrays for all arguments and an executor over them. `forward_backward` computes the
# loss and its gradients as one plan: a single push to the engine, no Python between the kernels.

# %%
rng = np.random.default_rng(0)
values = {name: rng.normal(size=shape).astype(np.float32) for name in names}
exe = loss.simple_bind(grad_req={"data": "write"}, **shapes)
exe.forward_backward(**values)
print(exe.outputs[0], exe.grad_dict["data"].shape)

x = values["w_in"] * (values["data"] - values["label"])
by_hand = values["w_out"] * values["w_in"] * np.clip(x, -1, 1)
assert np.allclose(exe.grad_dict["data"].asnumpy(), by_hand, atol=1e-6)

# %% [markdown]
# ## Before and after each pass
#
# The gradient pass joins a backward graph to the forward one. Then passes rewrite it, each a function
# from graph to graph. With `Options` every one of them can be switched off; the results stay the same
# bits, except that a fused sum is added up in another order.

# %%
plain = loss.simple_bind(grad_req={"data": "write"}, options=Options.none(), **shapes)
plain.forward_backward(**values)
(program,) = plain.programs().values()
print(program.compiled.graph)
assert np.array_equal(plain.grad_dict["data"].asnumpy(), exe.grad_dict["data"].asnumpy())

# %% [markdown]
# That was the graph without any pass: every operator of the forward and the backward pass by itself. What
# the passes made of it:

# %%
(program,) = exe.programs().values()
for stage in program.compiled.stages:
    print(f"after {stage.name}:\n{stage.after}\n")
assert len(program.compiled.graph.nodes) < len(
    plain.programs()["forward_backward"].compiled.graph.nodes
)

# %% [markdown]
# One loop is left, with two results: the gradient, and the sum at its end. The same as a picture, before
# the fusion and after it:

# %%
exe.passes()

# %% [markdown]
# ## The plan
#
# Tasks of the compiled graph become rows of one plan of the engine. Each is a kernel with a record of
# addresses; what a run needs besides its arguments and results lies in one arena.

# %%
print(exe.plan())
print(exe.memory())

# %% [markdown]
# A longer chain shows the memory plan at work. Without fusion every operator writes its value; a value is
# written over as soon as nobody needs it any more. `recompute="sqrt"` keeps only some values of the forward
# pass, and computes the others again when the backward pass comes to them.

# %%
v = ng.var("x")
y = v
for k in range(16):
    y = ng.tanh(y) * (1.0 + k / 16)
chain = ng.sum(y)


def arena(**changes):
    exe = chain.simple_bind(options=Options.of(**changes), x=(10_000,))
    exe.forward_backward(x=0.5)
    (program,) = exe.programs().values()
    return program.compiled.memory.arena_bytes / 40_000, exe.grad_dict["x"].asnumpy()


ways = {
    "nothing shared": {"fuse": False, "memory": False, "inplace": False},
    "shared": {"fuse": False},
    "recomputed": {"fuse": False, "recompute": "sqrt"},
    "fused": {},
}
found = {name: arena(**changes) for name, changes in ways.items()}
for name, (arrays, gradient) in found.items():
    print(f"{name:15} {arrays:5.1f} arrays")
    assert np.array_equal(gradient, found["fused"][1])
assert found["fused"][0] < found["recomputed"][0] < found["shared"][0] < found["nothing shared"][0]

# %% [markdown]
# Why is a value where it is? Ask.

# %%
unfused = chain.simple_bind(options=Options(fuse=False), x=(10_000,))
unfused.forward_backward(x=0.5)
print(unfused.explain("tanh3"))

# %% [markdown]
# ## Functions of arrays: `jit`
#
# A graph need not be written with variables. `ng.jit` traces a function of arrays when it is called with
# arrays of new shapes, and from then on runs the compiled graph. Arrays that the function meets outside are
# read at each call. Derivatives go in either order; both ways are one fused program.

# %%
scale = ng.array(np.float32(0.5))


@ng.jit
def f(data, label):
    return ng.sum(scale * smooth_l1(data - label))


arrays = ng.array(values["data"]), ng.array(values["label"])
before = float(f(*arrays))
scale *= 2
assert np.isclose(float(f(*arrays)), 2 * before, rtol=1e-5)
value, gradient = ng.value_and_grad(f)(*arrays)
again, gradient_too = ng.jit(ng.value_and_grad(lambda d, l: ng.sum(scale * smooth_l1(d - l))))(
    *arrays
)
assert np.array_equal(gradient.asnumpy(), gradient_too.asnumpy())

# %% [markdown]
# A branch on a value that is not there yet is refused, with the line and what to do instead.


# %%
@ng.jit
def branches(x):
    if x.sum() > 0:
        return x
    return -x


try:
    branches(ng.ones(3))
except TypeError as problem:
    print(problem)

# %% [markdown]
# ## Node operators
#
# One step lower, a node says itself what its forward and backward pass run: lists of operations, each with
# what it reads and what it writes. The engine orders them by these sets alone. The i-th backward operation
# belongs to child i.

# %%
import math

from nbgraph.nodes import add, element


class SinNode(ng.UnaryNodeOp):
    def forward_ops(self):
        return [element(lambda x: math.sin(x), self.val, self.child(0).val)]

    def backward_ops(self):
        return [
            add(lambda adj, x: adj * math.cos(x), self.child(0).grad, self.adj, self.child(0).val)
        ]


graph = ng.ExpressionGraph()
p = graph.param("p", (3,), init=np.float32([0.0, 1.0, 2.0]))
s = ng.expression(SinNode, p)
total = ng.sum(s)
assert ng.expression(SinNode, p).node is s.node
graph.forward()
graph.backward()
print(total.val.asnumpy(), p.grad.asnumpy())
assert np.allclose(p.grad.asnumpy(), np.cos([0, 1, 2]), atol=1e-6)
