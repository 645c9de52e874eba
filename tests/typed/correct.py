"""A user's file of more than forty statements without a mistake: type checkers accept it."""

import math
from pathlib import Path

import numpy as np

import nbgraph as ng


@ng.op
def smooth_l1(x, *, sigma=1.0):
    s2 = sigma * sigma
    return 0.5 * s2 * x * x if abs(x) < 1 / s2 else abs(x) - 0.5 / s2


@ng.op(fastmath=True)
def softplus(x: float) -> float:
    return math.log1p(math.exp(x))


@ng.row_op
def centred(x):
    return x - x.mean()


@ng.jit
def distance(a, b, scale=1.0):
    return scale * ng.sum(smooth_l1(a - b))


@ng.jit(static_argnames="power")
def raised(a: ng.NDArray, power: int) -> ng.NDArray:
    return a**power


def energy(x: ng.NDArray) -> ng.NDArray:
    return (x * x).sum()


class Net(ng.nn.Module):
    def __init__(self) -> None:
        self.first = ng.nn.Dense(16, ng.tanh)
        self.second = ng.nn.Dense(1)

    def forward(self, x: ng.NDArray) -> ng.NDArray:
        return self.second(self.first(x))


host = np.linspace(0.0, 1.0, 4)
x = ng.array([[1.0, 2.0], [3.0, 4.0]], dtype="float32")
a = smooth_l1(0.5) + smooth_l1([1.0, 2.0]) + smooth_l1(host, sigma=2.0).sum()
b = smooth_l1(x, sigma=2.0).asnumpy().mean()
c = smooth_l1.derivative("x")(x).item()
d = smooth_l1(ng.var("x")).list_arguments()
e = softplus(host, out=np.empty(4))
f = softplus.derivative()(x).tolist()
g = centred(x).sum(axis=0, keepdims=True).asnumpy()
h = ((1.0 + x) * x / 2 - host[:2] @ x + [1, 2] - x**2).max().item()
i = (-x).T.reshape(4)[1:].copy().astype("int32").shape[0]
j = (x > 1).any().item() and bool((x == x).all())
x += 1
x[0] = [3.0, 4.0]
x[x > 5] = 0.0
k = [row.sum().item() for row in x]
m = float(x[0, 0]) + int(x[1, 1]) + len(x)
n = np.add(x, 1), np.asarray(x), np.testing.assert_allclose(x, x)
o = ng.concatenate([x, x], axis=0).shape, ng.stack([x, x]).ndim
p = ng.exp(x).mean(axis=(0, 1)).item() + ng.sum(x, axis=0, keepdims=True).size
x.fill(1.0)
q = ng.ones(3, "float64").dtype, ng.arange(0, 10, 2).tolist()
r = ng.where(x > 0, x, 0.0).asnumpy(), ng.maximum(x, 0).shape, ng.dot(x, x).T
s = distance(x, x).item(), distance(x, b=ng.zeros(2), scale=2.0), distance.cache_size
t = raised(x, power=2).asnumpy(), raised(x, 3).shape
value, slope = ng.value_and_grad(energy)(x)
u = value.item(), slope.shape, ng.grad(ng.grad(lambda z: z**3))(2.0)
v = ng.grad(ng.tanh)(0.5), ng.grad(energy, argnums=(0,))(x)[0], ng.jit(ng.grad(energy))(x)
with ng.autograd.record():
    loss = ng.sum(smooth_l1(x))
loss.backward()
symbol = ng.sum(ng.var("x", shape=(2,)) * 2.0 + ng.var("y"))
executor = symbol.simple_bind(grad_req={"x": "write"}, x=(2,), y=(2,))
w = executor.forward(x=[1.0, 2.0], y=0.0)[0].asnumpy(), executor.grad_dict["x"]
executor.forward_backward()
pair = sum([x, x]), abs(x), pow(x, 2), max(x.sum(), x.mean()), round(x, 1), divmod(x, 2)
model = ng.nn.Sequential(Net(), ng.nn.Function(ng.tanh), ng.nn.Dropout(0.5))
adam = ng.optim.Adam(model, 0.01, betas=(0.9, 0.99), weight_decay=0.1)
sgd = ng.optim.SGD(model, lr=lambda step: 0.1 / (step + 1), momentum=0.9, clip_norm=1.0)
history = ng.nn.fit(model, (host, host), loss="mse", optimizer="adam", epochs=1)
y = model(x).asnumpy(), Net()(x).shape, ng.nn.Dense(3, bias=False)(x)
ng.random.seed(0)
z = ng.random.normal(0.0, 1.0, (2, 3)).shape, ng.asarray(host).dtype.name
ng.save(Path("model.nbg"), {"x": x})
done = ng.engine.push(lambda run_ctx: 3, mutate_vars=[x.variable]).result()
print(f"{x.mean():.2f}", x, repr(x), x.context == ng.cpu(), ng.NDArray, isinstance(x, ng.NDArray))
