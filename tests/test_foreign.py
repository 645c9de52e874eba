"""Names of other libraries are answered with ours, and wrong arguments where they are given."""

import inspect
import re
from types import FunctionType

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import foreign
from nbgraph.errors import ArgumentError, MissingName
from nbgraph.operator import registry
from nbgraph.operator.mapper.mapper import Mapper

EXPRESSION = re.compile(r"\bng(?:\.\w+)+")


def resolve(path):
    value = ng
    for name in path.split(".")[1:]:
        value = getattr(value, name)
    return value


@pytest.mark.parametrize("name", foreign.NAMES)
def test_a_foreign_name_is_answered_by_one_that_is_there(name):
    for path in EXPRESSION.findall(foreign.NAMES[name]):
        resolve(path)
    if not hasattr(ng.nn, name):
        with pytest.raises(MissingName, match=re.escape(foreign.NAMES[name])):
            getattr(ng.nn, name)


@pytest.mark.parametrize("name", "Linear DataLoader Xavier randn metric image model name".split())
def test_a_foreign_name_of_the_package(name):
    with pytest.raises(AttributeError, match=re.escape(f"here that is {foreign.NAMES[name]}")):
        getattr(ng, name)


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("Adam", "ng.optim.Adam"),
        ("NDArrayIter", "ng.io.NDArrayIter"),
        ("EarlyStopping", "ng.nn.callbacks.EarlyStopping"),
        ("Conv2D", "ng.nn.Conv2d"),
        ("Module", "ng.nn.Module"),
        ("centercrop", "ng.io.transforms.CenterCrop"),
        ("F1", "ng.nn.metrics.F1"),
    ],
)
def test_a_name_of_a_room_is_answered_with_it(name, place):
    """NB-06: a class that was looked for in the wrong room."""
    assert callable(resolve(place))
    for room in (ng, ng.kv):
        with pytest.raises(MissingName, match=re.escape(f"{name!r}; here that is {place}")):
            getattr(room, name)


@pytest.mark.parametrize("name", ["linalg.det", "linalg.svd", "random.randint", "random.poisson"])
def test_a_function_of_a_room_is_answered_with_it(name):
    """The nearest names of `det` and `randint` are `dot` and `rint`."""
    with pytest.raises(MissingName, match=f"; here that is ng.{name}$"):
        getattr(ng, name.partition(".")[2])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: ng.linspace(0, 1, steps=3), "'steps'; here that is num=;"),
        (lambda x: ng.nn.fit(x, x, lr=0.1), "'lr'; here that is optimizer=lambda model:"),
        (lambda x: x.to(ng.float64), r"expected one such as .*; x.astype\(dtype\) changes"),
    ],
)
def test_keywords_that_ours_are_near_to_without_meaning_the_same(call, text):
    with pytest.raises(ArgumentError, match=text):
        call(ng.ones(3))


@pytest.mark.parametrize("name", foreign.METHODS)
def test_a_foreign_method_is_answered_and_not_listed(name):
    x = ng.ones(3)
    for path in EXPRESSION.findall(foreign.METHODS[name]):
        resolve(path)
    for member in re.findall(r"\bx\.(\w+)", foreign.METHODS[name]):
        assert hasattr(x, member)
    assert not hasattr(x, name)
    assert name not in dir(x)
    with pytest.raises(MissingName, match=re.escape(foreign.METHODS[name])):
        getattr(x, name)


@pytest.mark.parametrize("space", ["nn", "optim", "io", "random", "init"])
def test_near_names_are_named(space):
    room = getattr(ng, space)
    name = max(dir(room), key=len)
    with pytest.raises(MissingName, match=f"ng.{space} has no '{name}x'; did you mean '{name}'"):
        getattr(room, f"{name}x")


KEYWORDS = {
    "learning_rate": (ng.optim.Adam, "here that is lr="),
    "wd": (ng.optim.AdamW, "here that is weight_decay="),
    "momentun": (ng.optim.SGD, "did you mean 'momentum'"),
    "out_features": (ng.nn.Dense, "here that is units="),
    "kernel_size": (ng.nn.Conv2d, "here that is window="),
    "rate": (ng.nn.Dropout, "here that is p="),
}


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_a_foreign_keyword_is_answered_by_ours(keyword):
    cls, words = KEYWORDS[keyword]
    with pytest.raises(
        ArgumentError, match=f"{cls.__name__}: unexpected keyword argument '{keyword}'; {words}"
    ):
        cls(**{keyword: 1})


# they look at the frame that calls them, define what takes keywords of its own, or take nothing
UNCHECKED = frozenset(
    "compile_report cpu field gpu name_scope num_gpus op print_summary profile register_operator "
    "register_simple_op seed thread_kernel".split()
)


def publics():
    """Every public function: those of operators, and those of rooms."""
    found = {name: registry.find(name) for name in registry.names()}
    for room in (ng, ng.linalg, ng.fft, ng.random, ng.transforms):
        found |= {name: getattr(room, name) for name in dir(room)}
    return {
        name: each
        for name, each in found.items()
        if isinstance(each, Mapper | FunctionType)
        and name not in UNCHECKED
        and not any(p.kind is p.VAR_KEYWORD for p in inspect.signature(each).parameters.values())
    }


def call(function, **keywords):
    """Call a function with what it requires, whatever that is, and keywords."""
    parameters = inspect.signature(function).parameters.values()
    required = [p for p in parameters if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]
    placed = [np.ones(2) for p in required if p.kind is not p.KEYWORD_ONLY]
    named = {p.name: 1 for p in required if p.kind is p.KEYWORD_ONLY}
    return function(*placed, **named, **keywords)


def test_every_public_function_refuses_a_keyword_that_it_does_not_have():
    silent = []
    for name, function in publics().items():
        try:
            call(function, no_such_keyword=1)
        except ArgumentError as error:
            if "unexpected keyword argument 'no_such_keyword'" in str(error):
                continue
        except TypeError:
            pass
        silent.append(name)
    assert not silent


@pytest.mark.parametrize("function", [ng.mean, ng.tanh, ng.op(lambda x: x * 2), ng.softmax])
def test_libraries_find_out_what_a_function_takes(function):
    """As Polars does in `map_batches(function, return_dtype=...)`."""
    with pytest.raises(TypeError) as caught:
        function(np.ones(3), return_dtype=float)
    assert "unexpected keyword argument 'return_dtype'" in caught.value.args[0]


@pytest.mark.parametrize("make", [np.ones, ng.ones, lambda shape: ng.var("x")])
@pytest.mark.parametrize(
    "function, keywords, words",
    [
        (
            ng.sum,
            {"dim": 0},
            "sum: unexpected keyword argument 'dim'; here that is axis=; parameters: x, axis",
        ),
        (
            ng.mean,
            {"keepdim": True},
            "mean: unexpected keyword argument 'keepdim'; here .* keepdims=",
        ),
        (ng.max, {"axs": 1}, r"max: unexpected keyword argument 'axs'; did you mean 'axis'\?"),
        (ng.softmax, {"dim": 1}, "softmax: unexpected keyword argument 'dim'; here that is axis="),
        (ng.tile, {"repetitions": 1, "reps": 2}, "tile: unexpected keyword argument 'repetitions'"),
    ],
)
def test_a_keyword_of_others_is_answered_at_the_call_in_every_world(
    make, function, keywords, words
):
    with pytest.raises(ArgumentError, match=words):
        function(make((2, 3)), **keywords)


CALLS = {
    "Dense: activation=3; .* Dense takes the number of outputs": lambda: ng.nn.Dense(5, 3),
    r"Conv2d: activation=3; .* \(features, window\)": lambda: ng.nn.Conv2d(1, 8, 3),
    "Dense: activation='rlu'; expected a function": lambda: ng.nn.Dense(5, "rlu"),
    "Dropout: p=1.5; expected a probability": lambda: ng.nn.Dropout(1.5),
    "Sequential: .* one by one": lambda: ng.nn.Sequential([ng.nn.Dense(1)]),
    "SGD: lr=-1; expected a number from 0": lambda: ng.optim.SGD(lr=-1),
    "SGD: lr='a'; expected a number from 0": lambda: ng.optim.SGD(lr="a"),
}


@pytest.mark.parametrize("words", CALLS)
def test_wrong_arguments_are_refused_where_they_are_given(words):
    with pytest.raises(ArgumentError, match=words):
        CALLS[words]()


DATA = (np.ones((8, 2), "float32"), np.ones((8, 1), "float32"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"epochs": 1.5}, "fit: epochs=1.5; expected a whole number"),
        ({"epochs": -1}, "fit: epochs=-1; expected a whole number"),
        ({"optimizer": "adm"}, "fit: optimizer='adm'; did you mean .* expected one of .*Adam"),
        ({"optimizer": 0.1}, "fit: optimizer=0.1; expected an optimizer"),
        ({"loss": "msee"}, "msee"),
    ],
)
def test_fit_checks_what_it_is_given(options, words):
    call = {"loss": "mse", "optimizer": "adam", "epochs": 1, "progress": False, **options}
    with pytest.raises(ArgumentError, match=words):
        ng.nn.fit(ng.nn.Dense(1), DATA, **call)


def test_fit_of_what_is_no_model():
    with pytest.raises(ArgumentError, match="fit: model=.*ng.nn.Function"):
        ng.nn.fit(ng.relu, DATA, loss="mse", optimizer="adam", epochs=1)


def test_losses_optimizers_and_activations_by_name():
    net = ng.nn.Sequential(ng.nn.Dense(4, "tanh"), ng.nn.Dense(1))
    history = ng.nn.fit(net, DATA, loss="mse", optimizer="adam", epochs=2, progress=False)
    assert len(history) == 2
    assert repr(net.layers[0]) == "Dense(4, tanh)"


def test_a_loss_that_would_broadcast_warns():
    x, y = DATA
    options = {"loss": lambda out, target: (out - target) ** 2, "optimizer": "sgd", "epochs": 1}
    with pytest.warns(UserWarning, match=r"outputs have shape \(8, 1\), targets \(8,\)"):
        ng.nn.fit(ng.nn.Dense(1), (x, y[:, 0]), progress=False, **options)
