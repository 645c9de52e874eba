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
# # Coming from NumPy, PyTorch or MXNet
#
# What you write elsewhere, and the same here. Every line runs.

# %%
import numpy as np

import nbgraph as ng

# %% [markdown]
# ## From NumPy
#
# Functions and methods have NumPy's names and arguments. Three things differ: numbers without a dtype
# are float32, results are computed later, and NumPy's functions on an NDArray give an NDArray.
#
# | NumPy | nbgraph |
# |---|---|
# | `np.array([1.0, 2.0])` | `ng.array([1.0, 2.0])` (float32) |
# | `np.zeros((2, 3))` | `ng.zeros((2, 3))` |
# | `x.sum(axis=0)` | `x.sum(axis=0)` |
# | `np.vectorize(f)` | `ng.op(f)` |
# | `np.random.default_rng(0).normal(size=3)` | `ng.random.seed(0); ng.random.normal(size=3)` |
# | `np.asarray(x)` | `x.asnumpy()` |

# %%
x = ng.array([[1.0, 2.0], [3.0, 4.0]])
print(x.sum(axis=0), x.T @ x, np.exp(x).dtype)
relu = ng.op(lambda v: max(v, 0.0))
print(relu(np.array([-1.0, 2.0])), type(np.add(x, 1)).__name__)

# %% [markdown]
# ## From PyTorch
#
# | PyTorch | nbgraph |
# |---|---|
# | `torch.tensor(v, requires_grad=True)` | `x = ng.array(v); x.attach_grad()` |
# | `loss.backward(); x.grad` | the same, within `with ng.autograd.record():` |
# | `x.detach().cpu().numpy()` | `x.asnumpy()` |
# | `nn.Linear(8, 16)` | `ng.nn.Dense(16)` (the input's size is taken from the first call, or from `prepare(x)`) |
# | `torch.optim.Adam(model.parameters(), lr=0.01)` | `ng.optim.Adam(model, 0.01)` |
# | `torch.compile(f)` | `ng.jit(f)` |
# | `torch.autograd.Function` | `@ng.op`: the gradient is derived |
# | `dim=`, `keepdim=` | `axis=`, `keepdims=` |

# %%
x.attach_grad()
with ng.autograd.record():
    loss = (x**2).sum()
loss.backward()
print(x.grad)

# %%
ng.random.seed(0)
rng = np.random.default_rng(0)
data = rng.normal(size=(64, 3)).astype("float32")
target = data @ np.float32([[1.0], [-2.0], [0.5]])
model = ng.nn.Dense(1).prepare(data)  # shows it the shape of its input
optimizer = ng.optim.Adam(model, 0.1)
for _ in range(200):
    with ng.autograd.record():
        loss = ((model(ng.array(data)) - ng.array(target)) ** 2).mean()
    loss.backward()
    optimizer.step()
print(model.weight.asnumpy().round(1))

# %% [markdown]
# A wrong name or keyword answers with the right one.

# %%
for attempt in (lambda: ng.nn.Linear(3, 1), lambda: ng.sum(x, dim=0)):
    try:
        attempt()
    except (AttributeError, TypeError) as error:
        print(f"{type(error).__name__}: {error}")

# %% [markdown]
# ## From MXNet
#
# Symbols, executors, the engine, KVStore and the operators have MXNet's names.
#
# | MXNet | nbgraph |
# |---|---|
# | `mx.nd.array(v)` | `ng.array(v)` |
# | `mx.sym.Variable("x")` | `ng.var("x")` |
# | `mx.sym.FullyConnected(x, num_hidden=4)` | `ng.sym.FullyConnected(x, num_hidden=4)` |
# | `net.simple_bind(mx.cpu(), data=(2, 3))` | `net.simple_bind(ng.cpu(), data=(2, 3))` |
# | `mx.kv.create("local")` | `ng.kv.create("local")` |
# | `mx.nd.waitall()` | `ng.waitall()` |

# %%
net = ng.sym.FullyConnected(ng.var("data"), num_hidden=4, name="fc")
executor = net.simple_bind(ng.cpu(), data=(2, 3))
print(net.list_arguments(), executor.forward(data=np.ones((2, 3)))[0].shape)
ng.waitall()
