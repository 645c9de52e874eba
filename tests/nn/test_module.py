"""Modules: what they hold, files, compiled calls."""

import inspect
import re

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import nn
from nbgraph.errors import ArgumentError, DTypeError, ShapeError
from tests.support import run_python


class Tied(nn.Module):
    """Parts in lists and dicts, an array twice, a statistic, what is not a parameter."""

    statistics_named = ("seen",)

    def __init__(self):
        self.parts = [nn.Dense(4, in_features=3), {"last": nn.Dense(2)}]
        self.own = ng.ones(4)
        self.again = self.own
        self.seen = ng.zeros(1)
        self.whole = ng.array([1, 2])
        self._kept = ng.ones(1)

    def forward(self, x):
        return self.parts[1]["last"](self.parts[0](x) * self.own)


class Counting(nn.Module):
    """A statistic that is written in training."""

    statistics_named = ("mean",)

    def __init__(self):
        self.mean = ng.zeros(())
        self.weight = ng.ones(1)

    def forward(self, x):
        if ng.autograd.is_training():
            nn.state.write(self.mean, 0.5 * self.mean + 0.5 * ng.mean(x))
        return x * self.weight


def test_names_are_dotted_and_what_is_shared_is_one():
    net = Tied().prepare(ng.ones((1, 3)))
    assert list(net.parameters()) == [
        "own",
        "parts.0.weight",
        "parts.0.bias",
        "parts.1.last.weight",
        "parts.1.last.bias",
    ]
    assert list(net.statistics()) == ["seen"]
    assert list(net.modules()) == ["", "parts.0", "parts.1.last"]


def test_a_shape_is_known_after_the_first_call():
    net = Tied()
    assert "?" in net.summary()
    assert repr(net.summary()) == str(net.summary())  # what a cell shows
    with pytest.raises(ArgumentError, match="parts.1.last.weight.*prepare"):
        net.parameters()
    net(ng.ones((2, 3)))
    assert net.parameters()["parts.1.last.weight"].shape == (2, 4)
    with pytest.raises(ShapeError, match=r"weight has shape \(4, 3\)"):
        net(ng.ones((2, 5)))


def test_a_shape_can_be_told_within_a_trace():
    net = nn.Dense(2)
    assert ng.jit(net)(ng.ones((1, 3))).shape == (1, 2)
    assert net.weight.asnumpy().shape == (2, 3)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_a_module_takes_another_dtype(dtype, tmp_path):
    """X-NDA-07: floats alone, shared ones once, late ones and those read from a file, too; how
    gradients are asked for stays. Values and gradients are those of float32, rounded."""
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
    ng.random.seed(0)
    wide, x = Tied(), ng.array(np.linspace(-1, 1, 6).reshape(2, 3))
    wide(x)
    wide.save(tmp_path / "wide.npz")
    narrow = Tied()
    narrow.own.attach_grad("null")
    assert narrow.to(dtype=dtype) is narrow and narrow.again is narrow.own
    assert narrow.own._node.request == "null" and narrow.whole.dtype == wide.whole.dtype
    narrow.load(tmp_path / "wide.npz")
    kinds = {str(p.dtype) for p in narrow.parameters().values() if p is not narrow.whole}
    assert kinds == {dtype}
    for module in (wide, narrow):
        module.parts[0].weight.attach_grad()
        with ng.autograd.record():
            out = module(x.astype(module.own.dtype))
            loss = (out * out).sum()
        loss.backward()
        assert out.dtype == module.own.dtype
    slopes = [m.parts[0].weight.grad.astype("float32").asnumpy() for m in (narrow, wide)]
    np.testing.assert_allclose(*slopes, rtol=5e-2, atol=2e-2)
    with pytest.raises(DTypeError, match="Module.to: dtype=int8; expected a float"):
        narrow.to(dtype="int8")
    with pytest.raises(AttributeError, match=r"model.to\(dtype='float16'\)"):
        narrow.half()


def test_parameters_collect_gradients():
    net = Tied().prepare(ng.ones((1, 3)))
    with ng.autograd.record():
        loss = net(ng.ones((5, 3))).sum()
    loss.backward()
    for array in net.parameters().values():
        assert array.grad.shape == array.shape
    assert net.parts[1]["last"].bias.grad.tolist() == [5, 5]


@pytest.mark.parametrize("ending", ["weights", "weights.npz", "weights.safetensors"])
def test_files_hold_parameters_and_statistics(tmp_path, ending):
    """X-MAR-11: npz and safetensors; a module whose shapes are not known takes the file's."""
    net = Tied().prepare(ng.ones((1, 3)))
    net.seen[:] = 7
    net.save(tmp_path / ending)
    other = Tied().load(tmp_path / ending)
    for name, array in net.state_dict().items():
        np.testing.assert_array_equal(other.state_dict()[name], array)
    x = ng.ones((2, 3))
    np.testing.assert_array_equal(net(x), other(x))


def test_files_of_other_modules_are_refused_and_nothing_changes(tmp_path):
    nn.Dense(4, in_features=3).save(tmp_path / "a")
    other = nn.Dense(4, in_features=2)
    before = other.weight.asnumpy()
    with pytest.raises(ShapeError, match=r"\(4, 3\) in the state"):
        other.load(tmp_path / "a")
    with pytest.raises(ArgumentError, match="lacks"):
        Tied().load(tmp_path / "a")
    np.testing.assert_array_equal(other.weight, before)


def test_what_fits_is_taken_of_a_state_that_is_not_strict(tmp_path):
    net, state = nn.Dense(4, in_features=3), {"weight": np.ones((4, 3)), "other": np.ones(2)}
    net.bias = np.full(4, 2.0)
    assert net.load_state_dict(state, strict=False) == (["bias"], ["other"])
    assert net.weight.tolist() == [[1] * 3] * 4 and net.bias.tolist() == [2] * 4
    with pytest.raises(ArgumentError, match="strict=False"):
        net.load_state_dict(state)
    with pytest.raises(ShapeError, match="in the state"):
        net.load_state_dict({"bias": np.ones(5)}, strict=False)
    nn.Dense(4, in_features=3, bias=False).save(tmp_path / "a")
    assert net.load(tmp_path / "a", strict=False) is net


def test_another_process_computes_the_same(tmp_path):
    """Save and load across processes."""
    net = nn.Sequential(nn.Dense(5, ng.tanh), nn.Dense(2))
    x = ng.array(np.random.default_rng(0).normal(size=(4, 3)).astype("float32"))
    out = net(x)
    net.save(tmp_path / "net")
    ng.save(tmp_path / "x", x)
    program = (
        "import sys, nbgraph as ng; from nbgraph import nn\n"
        "net = nn.Sequential(nn.Dense(5, ng.tanh), nn.Dense(2)).load(sys.argv[1])\n"
        "print(net(ng.load(sys.argv[2])).tolist())"
    )
    printed = run_python("-c", program, tmp_path / "net", tmp_path / "x")
    assert printed.strip() == str(out.tolist())


def test_hybridize_computes_the_same_and_sees_other_arrays():
    net = nn.Sequential(nn.Dense(5, ng.tanh), nn.Dense(2))
    x = ng.array(np.random.default_rng(0).normal(size=(4, 3)).astype("float32"))
    plain = net(x)
    net.hybridize()
    np.testing.assert_allclose(net(x), plain, rtol=1e-6)
    net[1].bias[:] = 1
    np.testing.assert_allclose(net(x), plain + 1, rtol=1e-5)
    net[1].bias = ng.zeros(2) + 2
    np.testing.assert_allclose(net(x), plain + 2, rtol=1e-5)
    with ng.autograd.record():
        loss = net(x).sum()
    loss.backward()
    assert net[1].bias.grad.tolist() == [4, 4]


@pytest.mark.parametrize("compiled", [False, True])
def test_statistics_are_written_in_training_alone(compiled):
    net = Counting().hybridize(compiled)
    net(ng.ones(3))
    assert net.mean.item() == 0
    with ng.autograd.record():
        net(ng.ones(3))
        net(ng.ones(3) * 3)
    assert net.mean.item() == 1.75


def test_statistics_of_a_part_are_written_by_the_whole():
    inner = Counting()
    net = nn.Sequential(nn.Sequential(inner).hybridize(), lambda x: x + 1).hybridize()
    with ng.autograd.train_mode():
        net(ng.ones(3))
    assert inner.mean.item() == 0.5


def test_a_module_without_forward_says_so():
    class Empty(nn.Module):
        pass

    with pytest.raises(NotImplementedError, match="Empty has no forward"):
        Empty()(ng.ones(1))
    assert repr(Empty()) == "Empty()"


# assigning parameters ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value", [np.arange(6.0).reshape(3, 2), [[0, 1], [2, 3], [4, 5]], ng.arange(6.0).reshape(3, 2)]
)
@pytest.mark.parametrize("compiled", [False, True])
def test_what_is_assigned_to_a_parameter_is_one(value, compiled):
    """Lists and NumPy arrays become arrays of its dtype, and a compiled module takes them up."""
    net = ng.nn.Dense(3, in_features=2)
    net.hybridize(compiled)
    x = ng.ones((1, 2))
    net(x)
    net.weight = value
    assert list(net.parameters()) == ["weight", "bias"]
    assert net.weight.dtype == np.float32 and net.weight.tolist() == [[0, 1], [2, 3], [4, 5]]
    with ng.autograd.record():
        loss = net(x).sum()
    loss.backward()
    assert net.weight.grad.tolist() == [[1, 1]] * 3
    np.testing.assert_allclose(net(x).asnumpy() - net.bias.asnumpy(), [[1, 5, 9]])


@pytest.mark.parametrize(
    "value, error",
    [
        (np.zeros((2, 3)), ShapeError),
        (ng.zeros((2, 3)), ShapeError),
        (0.5, ShapeError),
        ([1.0, 2.0], ShapeError),
        (ng.zeros((3, 2), dtype="int64"), DTypeError),
        ("zeros", ArgumentError),
        ([[1, 2], [3]], ArgumentError),
        (object(), ArgumentError),
    ],
)
def test_what_is_no_such_parameter_is_refused(value, error):
    net = ng.nn.Dense(3, in_features=2)
    held = net.weight
    with pytest.raises(error, match=r"Dense\.weight: "):
        net.weight = value
    assert net.weight is held and list(net.parameters()) == ["weight", "bias"]


def test_a_parameter_of_unknown_extents_takes_what_fits():
    net = ng.nn.Dense(3)
    with pytest.raises(ShapeError, match="weight"):
        net.weight = np.zeros((4, 2))
    net.weight = np.ones((3, 2))
    assert net.prepare(ng.ones((1, 2))).parameters()["weight"].tolist() == [[1, 1]] * 3


@pytest.mark.parametrize("remove", ["delete", "none"])
def test_a_parameter_that_is_taken_away_is_seen_by_a_compiled_module(remove):
    class Line(ng.nn.Module):
        def __init__(self):
            self.bias = ng.ones(2)

        def forward(self, x):
            bias = getattr(self, "bias", None)
            return x if bias is None else x + bias

    net = Line().hybridize()
    assert net(ng.zeros(2)).tolist() == [1, 1]
    if remove == "delete":
        del net.bias
    else:
        net.bias = None
    assert list(net.parameters()) == [] and net(ng.zeros(2)).tolist() == [0, 0]
    net.bias = ng.ones(2) * 3
    assert list(net.parameters()) == ["bias"] and net(ng.zeros(2)).tolist() == [3, 3]


def test_statistics_are_assigned_like_parameters():
    norm = ng.nn.BatchNorm()
    norm.prepare(ng.ones((2, 2)))
    (name, *_) = norm.statistics()
    setattr(norm, name, [0.5, 0.25])
    assert norm.statistics()[name].tolist() == [0.5, 0.25]


def test_numbers_are_written_into_the_parameter_that_others_hold():
    """An optimizer made before, and a part that shares the array, go on with it."""
    net = ng.nn.Dense(2, in_features=2)
    other = ng.nn.Dense(2, in_features=2)
    other.weight = net.weight
    optimizer = ng.optim.SGD(net, lr=1.0)
    held = net.weight
    net.weight = [[1, 2], [3, 4]]
    assert net.weight is held and other.weight.tolist() == [[1, 2], [3, 4]]
    optimizer.step({"weight": ng.ones((2, 2)), "bias": ng.zeros(2)})
    assert net.weight.tolist() == [[0, 1], [2, 3]]


LAYERS = [cls for cls in vars(nn).values() if isinstance(cls, type) and issubclass(cls, nn.Module)]


@pytest.mark.parametrize("cls", LAYERS, ids=lambda cls: cls.__name__)
def test_the_documentation_of_a_layer_has_its_parameters_once(cls):
    """A class without an `__init__` has the section of the class whose it is."""
    names = [n for n in inspect.signature(cls).parameters if n not in ("args", "kwargs")]
    doc = cls.__doc__
    assert doc.count("Parameters\n") == bool(names)
    section = doc.partition("Parameters\n")[2].split("\n\n")[0]
    assert not [name for name in names if not re.search(rf"\b{name}\b", section)]
