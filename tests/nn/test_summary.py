"""`nn.summary`: layers, shapes, parameters and bytes."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import nn
from nbgraph.errors import ArgumentError, ShapeError


class Twice(nn.Module):
    """A layer that is called twice, one that is not called, and a parameter of its own."""

    def __init__(self):
        self.inner = nn.Dense(4, in_features=4)
        self.idle = nn.Dense(2, in_features=4)
        self.scale = ng.ones(4)

    def forward(self, x):
        return self.inner(self.inner(x)) * self.scale, x


def test_rows_are_the_layers_with_shapes_parameters_and_bytes():
    """Of a network whose shapes were not known before."""
    net = nn.Sequential(nn.Dense(8, ng.tanh), nn.BatchNorm(), nn.Dense(1))
    found = nn.summary(net, (32, 4))
    assert [(row.kind, row.outputs, row.parameters, row.nbytes) for row in found.rows] == [
        ("Sequential", ((32, 1),), 0, 0),
        ("Dense", ((32, 8),), 40, 160),
        ("BatchNorm", ((32, 8),), 16, 128),  # its statistics are not trained
        ("Dense", ((32, 1),), 9, 36),
    ]
    assert found.parameters == sum(p.size for p in net.parameters().values()) == 65
    assert found.to_dict()["bytes"] == 324
    assert "<td" in found._repr_html_() and found._repr_html_().count("<tr>") == 6


def test_calls_are_counted_and_what_is_not_called_is_said():
    found = nn.summary(Twice(), (3, 4))
    lines = str(found).splitlines()
    assert lines[1].split()[:4] == ["all", "Twice", "3x4,", "3x4"]
    assert "3x4 (2 calls)" in lines[2] and "not called" in lines[3]
    assert found.rows[0].parameters == 4


def test_shared_arrays_count_once():
    net = nn.Sequential(nn.Dense(4, in_features=4), nn.Dense(4, in_features=4))
    net.layers[1].weight = net.layers[0].weight
    assert [row.parameters for row in nn.summary(net, (1, 4)).rows] == [0, 20, 4]


def test_the_network_is_as_it_was():
    net = nn.Sequential(nn.BatchNorm(), nn.Dense(2)).hybridize()
    x = np.ones((6, 3), "float32")
    before = net(x).asnumpy()
    state = {name: array.asnumpy() for name, array in net.state_dict().items()}
    attributes = [set(vars(layer)) for layer in net.modules().values()]
    with ng.autograd.record(train_mode=True):
        nn.summary(net, x)
    with pytest.raises(ShapeError):
        nn.summary(net, (6, 5))
    assert [set(vars(layer)) for layer in net.modules().values()] == attributes
    assert all((state[n] == a.asnumpy()).all() for n, a in net.state_dict().items())
    assert net._compiled is not None and (net(x).asnumpy() == before).all()


def test_an_array_stands_for_an_input_that_zeros_do_not_fit():
    net = nn.Sequential(nn.Embedding(10, 3))
    for given in (np.array([[1, 2]]), (1, 2)):
        found = nn.summary(net, given, dtype="int64")
        assert found.rows[1].outputs == ((1, 2, 3),)


@pytest.mark.parametrize(
    "args, message",
    [
        ((lambda x: x, (1,)), "expected an ng.nn.Module"),
        ((nn.Dense(1),), "give the shape of each"),
        ((nn.Dense(1), 5), "an input is 5; expected a shape"),
        ((nn.Dense(1), (2, "a")), "expected a shape"),
    ],
)
def test_what_cannot_be_summed_up_is_refused(args, message):
    with pytest.raises(ArgumentError, match=message):
        nn.summary(*args)
