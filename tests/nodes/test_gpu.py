"""Expression graphs on GPUs: what is declared once runs on either device. Maps have the bits of the
host; sums may differ in their order."""

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import DeviceError, OutOfMemory
from nbgraph.nodes import add, aggregate, aggregate_all, compute, element, library, prod
from tests.array.gpu import GPU, emulated_only, hurried
from tests.nodes.conftest import SinNodeOp, TimesNodeOp
from tests.support import run_python


def slowly(*cases):
    """For --full."""
    return [pytest.param(*(c if type(c) is tuple else (c,)), marks=pytest.mark.slow) for c in cases]


def values(*shape, seed=0, dtype="float32"):
    made = np.random.default_rng(seed).normal(size=shape)
    return ng.array(made).astype(dtype).asnumpy()


def close(found, wanted, rtol=1e-5):
    found, wanted = (x.asnumpy() if isinstance(x, ng.NDArray) else x for x in (found, wanted))
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    np.testing.assert_allclose(found.astype("f8"), wanted.astype("f8"), rtol=rtol, atol=rtol)


# tensor operators -------------------------------------------------------------------------------

JOBS = {
    "element": lambda o, x, y, m: element(lambda a, b: a * b + 1, o(4, 5), x, y),
    "add": lambda o, x, y, m: add(lambda a, b: a * b, o(4, 5), x, y, scale=0.5),
    "add to rows": lambda o, x, y, m: add(lambda a, b: a * b, o(4, 1), x, y, scale=2.0),
    "add to columns": lambda o, x, y, m: add(lambda a: a * a, o(5), x),
    "add to one": lambda o, x, y, m: add(lambda a: a, o(), x),
    "add repeated": lambda o, x, y, m: add(lambda a: a, o(3, 1, 5), x),
    "sum": lambda o, x, y, m: aggregate(lambda a: a, 0.0, "add", o(4, 1), x, scale=0.25),
    "sum from one": lambda o, x, y, m: aggregate(lambda a: a, 1.0, "add", o(1, 5), x),
    "prod": lambda o, x, y, m: aggregate(lambda a, b: a - b, 1.0, "prod", o(1, 5), x, y),
    "max": lambda o, x, y, m: aggregate(lambda a: a, -math.inf, "max", o(1, 1), x),
    "min at most": lambda o, x, y, m: aggregate(lambda a: a, 0.0, "min", o(4, 1), x),
    "logsumexp": lambda o, x, y, m: aggregate(lambda a: a, -math.inf, ng.logaddexp, o(1, 5), x),
    "in order": lambda o, x, y, m: aggregate(  # the last one: associative, not commutative
        lambda a: a, 0.0, lambda a, b: b, o(4, 1), x
    ),
    "all": lambda o, x, y, m: aggregate_all(lambda a: a * a, 0.0, "add", o(1), x),
    "all by function": lambda o, x, y, m: aggregate_all(
        lambda a: a, 0.0, lambda a, b: (a * a + b * b) ** 0.5, o(1), x
    ),
    "product": lambda o, x, y, m: prod(o(4, 4), x, x, trans_b=True),
    "product added": lambda o, x, y, m: prod(o(5, 5), x, x, trans_a=True, beta=0.5, alpha=2.0),
    "product summed": lambda o, x, y, m: prod(o(4, 3), x, m, beta=1.0),
    "compute": lambda o, x, y, m: compute(lambda a: a - a.mean(), o(4, 5), x),
}


@pytest.mark.parametrize("dtype", ["float32", *slowly("float64", "float16")])
@pytest.mark.parametrize("name", JOBS)
def test_one_declaration_runs_on_both_devices(name, dtype):
    """MTE-04, MTE-03: dispatch by the device of the output; sums, folds, products."""

    def run(device):
        made = []

        def out(*shape):
            made.append(ng.array(values(*shape, seed=9, dtype=dtype), device=device))
            return made[-1]

        x, y, m = (
            ng.array(values(*shape, seed=k, dtype=dtype), device=device)
            for k, shape in enumerate(((4, 5), (5,), (2, 5, 3)))
        )
        JOBS[name](out, x, y, m)()
        return made[0]

    found, wanted = run(GPU), run(ng.cpu())
    assert found.device == GPU
    if name == "element":
        assert found.asnumpy().tobytes() == wanted.asnumpy().tobytes()
    close(found, wanted, rtol={"float16": 5e-3, "float32": 1e-5, "float64": 1e-12}[dtype])


def test_functions_of_numpy_views_are_refused():
    """MTE-04: what is of one device says so, with the remedy; nothing is copied."""
    graph = ng.ExpressionGraph(device=GPU)
    x = graph.constant(values(3))
    library.lambda_([x], lambda out, x: None)
    with pytest.raises(DeviceError, match=r"run lambda: it is a Python function of NumPy views"):
        graph.forward()
    out = ng.zeros((2,), device=GPU)
    with pytest.raises(DeviceError, match=r"element: array 0 is on gpu|operand|on cpu\(0\)"):
        element(lambda a: a, out, ng.zeros(2))()


def test_without_a_gpu_only_the_host_is_offered():
    """MTE-04: a process that has none; the reason and the remedy."""
    text = (
        "import nbgraph as ng\n"
        "from nbgraph.nodes import nodeop\n"
        "ng.ExpressionGraph(device=ng.cpu()).constant(1.0)\n"
        "for use in (lambda: ng.ExpressionGraph(device=ng.gpu(0)),\n"
        "            lambda: nodeop.runner('element', ng.gpu(0))):\n"
        "    try:\n"
        "        use()\n"
        "    except ng.errors.DeviceError as problem:\n"
        "        print(problem)\n"
    )
    lines = run_python("-c", text, NBGRAPH_GPU="none").splitlines()
    assert len(lines) == 2
    assert all("no GPU backend is loaded" in s and "or use ng.cpu()" in s for s in lines)


# graphs -----------------------------------------------------------------------------------------


def network(graph, x, target):
    w = graph.param("w", (6, 8), lambda shape, dtype: values(*shape, seed=3) / 3)
    b = graph.param("b", (1, 8), 0.1)
    v = graph.param("v", (8, 3), lambda shape, dtype: values(*shape, seed=4) / 3)
    h = ng.tanh(graph.constant(x) @ w + b)
    p = ng.log_softmax(h @ v)
    return -ng.mean(ng.sum(p * graph.constant(target), axis=1)) + 0.01 * ng.sum(w * w)


def batches(count):
    rng = np.random.default_rng(1)
    for _ in range(count):
        x = rng.normal(size=(10, 6)).astype(np.float32)
        yield x, np.eye(3, dtype=np.float32)[(x.sum(1) > 0).astype(int)]


@pytest.mark.parametrize(
    ("compiled", "optimizer"),
    [(True, "sgd"), (False, "adam"), *slowly((True, "adam"), (False, "sgd"))],
)
def test_training_goes_as_on_the_host(compiled, optimizer):
    """MTE-04: built for each batch, forward, backward, update; parameters made on the host."""

    def train(device):
        graph = ng.ExpressionGraph(device=device, compiled=compiled)
        step, losses = None, []
        for x, target in batches(6):
            graph.clear()
            loss = network(graph, x, target)
            graph.backprop()
            losses.append(loss.val)
            if step is None:
                kinds = {"sgd": ng.optim.SGD, "adam": ng.optim.Adam}
                step = kinds[optimizer](graph, lr=0.05)
            step.step()
        return [*losses, *(p.val for p in graph.params().values())]

    with hurried(3):
        found = train(GPU)
    for a, b in zip(found, train(ng.cpu()), strict=True):
        assert a.device == GPU
        close(a, b, rtol=2e-4)


@pytest.mark.parametrize("code", ["sum", "mean", "prod", "max", "min", "logsumexp"])
def test_reductions_that_keep_their_axis(code):
    def run(device):
        graph = ng.ExpressionGraph(device=device)
        x = graph.param("x", (4, 5), values(4, 5))
        y = library.reduce(x, 1, code)
        ng.sum(y * y)
        graph.backprop()
        return y.val, x.grad

    for a, b in zip(run(GPU), run(ng.cpu()), strict=True):
        close(a, b)


def test_nodes_of_the_users_views_casts_and_callbacks(capfd):
    """Nodes written by hand, views, casts; functions that ask for values get them."""
    seen = []

    def run(device):
        graph = ng.ExpressionGraph(device=device)
        x = graph.param("x", (3, 4), values(3, 4))
        s = ng.expression(SinNodeOp, x)
        t = ng.expression(TimesNodeOp, s, library.slice(x, 0, 1, 2))
        u = library.callback(library.transpose(t), lambda v: seen.append(v.copy()))
        library.debug(u, "u")
        w = library.reshape(u, (2, 6)) + library.scalar_product(x, s, 0).sum()
        loss = library.weighted_average(w, w * w + 1, 1).sum()
        counts = library.cast(x * 10, "int32")
        graph.remove_as_root(counts)
        graph.backprop()
        return loss.val, x.grad, u.val, counts.val

    for a, b in zip(run(GPU), run(ng.cpu()), strict=True):
        assert a.device == GPU
        close(a, b)
    assert len(seen) == 2 and (seen[0] == seen[1]).all()
    told = [line for line in capfd.readouterr().out.splitlines() if line.startswith("u:")]
    assert len(told) == 4 and told[0] == told[2]


def test_a_callback_that_raises_fails_what_it_looked_at():
    graph = ng.ExpressionGraph(device=GPU)

    def refuse(view):
        assert not view.flags.writeable
        raise OSError("no such value")

    y = library.callback(graph.constant(values(3)), refuse) * 2
    graph.forward()
    with pytest.raises(OSError, match="no such value"):
        y.val.asnumpy()


def test_values_and_memory_are_the_devices():
    """NaN are found, memoised constants too; the workspace is looked at; parameters are copied."""
    graph = ng.ExpressionGraph(device=GPU, throw_nan=True)
    x = graph.constant(values(3), memoise=True)
    assert graph.constant(values(3), memoise=True).node is x.node
    assert graph.constant(ng.array(values(3)), memoise=True).node is x.node
    ng.log(-ng.abs(x))
    with pytest.raises(FloatingPointError, match="3 NaN"):
        graph.forward()
    small = ng.ExpressionGraph(device=GPU, workspace=0.001)
    ng.tanh(small.constant(values(900)))
    with pytest.raises(OutOfMemory, match="larger workspace"):
        small.forward()
    host = ng.ExpressionGraph()
    host.param("p", (2,), [1.0, 2.0])
    small.copy_params(host)
    assert small.params()["p"].val.device == GPU
    small.params()["p"].val[:] = 7
    host.copy_params(small)
    assert host.params()["p"].val.tolist() == [7, 7]
    small.copy_params(host)
    with pytest.raises(DeviceError, match="has parameters on gpu"):
        small.set_device(ng.cpu())


@emulated_only
def test_a_workspace_may_be_what_the_device_has_left():
    graph = ng.ExpressionGraph(device=GPU, workspace=-1024)
    ng.tanh(graph.constant(values(900)))
    assert graph.fits()
    graph = ng.ExpressionGraph(device=GPU, workspace=-(1 << 13))
    ng.tanh(graph.constant(values(900)))
    assert not graph.fits()
