"""Row operators from Python functions of a row: values, gradients, worlds, refusals."""

import copy
import inspect
import math
import pickle

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, CaptureError, CertificateError
from tests import worlds
from tests.ops.rowwise.functions import EXAMPLES, Example, softmax
from tests.slopes import differences
from tests.support import run_python


def arrays(example: Example, dtype="float64", seed=0):
    rng = np.random.default_rng(seed)
    actual = []
    for k, shape in enumerate(example.shapes):
        if k in example.labels:
            actual.append(rng.integers(0, 5, shape).astype("int32"))
        else:
            sizes = rng.uniform(0.2, 1.5, shape)
            actual.append((sizes * rng.choice([-1, 1], shape)).astype(dtype))
    return actual


def as_tuple(value):
    return tuple(value) if isinstance(value, tuple | list) else (value,)


def weighted(example, operands, weights):
    """A number that depends on all results."""
    results = as_tuple(example.op(*operands))
    return sum((ng.sum(r * w) for r, w in zip(results, weights, strict=True)), 0.0)


@pytest.fixture(params=EXAMPLES)
def example(request):
    return EXAMPLES[request.param]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_values_are_those_of_numpy(example, dtype):
    given = arrays(example, dtype)
    wide = [x.astype("float64") for x in given]
    for actual, expected in zip(
        as_tuple(example.op(*given)), as_tuple(example.reference(*wide)), strict=True
    ):
        assert actual.dtype == dtype
        np.testing.assert_allclose(actual, expected, rtol=2e-5 if dtype == "float32" else 1e-12)


@pytest.mark.parametrize("world", [*worlds.WORLDS, worlds.expressions], ids=lambda w: w.__name__)
def test_every_world_has_the_same_bits(example, world):
    if world is worlds.expressions and (
        example.labels or len({len(s) for s in example.shapes}) > 1
    ):
        pytest.skip("parameters of an expression graph are floats of one rank here")
    given = arrays(example, "float32")
    expected = [worlds.bits(x) for x in as_tuple(example.op(*given))]
    actual = world(example.op, *given)
    assert [worlds.bits(x) for x in as_tuple(actual)] == expected


def test_the_text_itself_is_the_specification(example):
    given = arrays(example)
    compiled = as_tuple(example.op(*given))
    with ng.config(compiler="python"):
        plain = as_tuple(example.op(*given))
    for actual, expected in zip(compiled, plain, strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-15)


def test_gradients_of_first_and_second_order(example):
    given = arrays(example)
    weights = [np.asarray(w) for w in map(_some, as_tuple(example.op(*given)))]
    floats = [k for k in range(len(given)) if k not in example.labels]

    def value(operands):
        return weighted(example, operands, weights)

    def slopes(operands):
        variables = [
            x if isinstance(x, ng.NDArray) else ng.array(x, dtype="float64")
            for x in (operands[k] for k in floats)
        ]

        def of(*changed):
            full = list(operands)
            for k, x in zip(floats, changed, strict=True):
                full[k] = x
            return value(full)

        return ng.grad(of, argnums=tuple(range(len(floats))))(*variables)

    actual = slopes(given)
    for k, slope in zip(floats, actual, strict=True):
        np.testing.assert_allclose(
            slope.asnumpy(), differences(lambda *x: value(x), given, k), rtol=1e-5, atol=1e-6
        )

    def squares(operands):
        return sum((ng.sum(g * g * (1 + 0.1 * i)) for i, g in enumerate(slopes(operands))), 0.0)

    def of_first(x):
        return squares([x, *given[1:]])

    second = ng.grad(of_first)(ng.array(given[0], dtype="float64")).asnumpy()
    np.testing.assert_allclose(
        second, differences(lambda *x: squares(x), given, 0), rtol=1e-4, atol=1e-5
    )


def _some(result):
    return np.random.default_rng(3).normal(size=result.shape)


@pytest.mark.parametrize("axis", [0, 1, (0, 2), None])
def test_any_axis_is_a_row(axis):
    x = np.random.default_rng(0).normal(size=(3, 4, 5))
    np.testing.assert_allclose(softmax(x, axis=axis), ng.softmax(x, axis=axis), rtol=1e-13)
    expected = ng.grad(lambda x: ng.sum(ng.softmax(x, axis=axis) ** 2))(x)
    actual = ng.grad(lambda x: ng.sum(softmax(x, axis=axis) ** 2))(x)
    np.testing.assert_allclose(np.asarray(actual), np.asarray(expected), rtol=1e-10, atol=1e-15)


def test_parameters_change_without_compiling_again():
    x = np.random.default_rng(0).normal(size=(3, 4)).astype("float32")
    expected = ng.softmax(x / 3)
    softmax(x, temperature=2.0)
    count = _compiled("softmax")
    assert count > 0
    np.testing.assert_allclose(softmax(x, temperature=3.0), expected, rtol=1e-6)
    assert _compiled("softmax") == count


def _compiled(name):
    return sum(event.name == name for event in ng.compile_report().events)


def test_elements_that_attain_an_extreme_share_its_gradient():
    @ng.row_op
    def peak(x):
        return x.max()

    x = ng.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]], dtype="float64")
    slope = ng.grad(lambda x: peak(x).sum())(x)
    np.testing.assert_array_equal(slope.asnumpy(), [[0, 0.5, 0.5], [1 / 3] * 3])


@pytest.mark.parametrize("zeros", [0, 1, 2])
def test_products_with_zeros_have_the_right_slope(zeros):
    @ng.row_op
    def product(x):
        return x.prod()

    x = np.array([2.0, -3.0, 0.5, 4.0])
    x[:zeros] = 0
    slope = ng.grad(lambda x: product(x).sum())(ng.array(x, dtype="float64"))
    np.testing.assert_allclose(slope.asnumpy(), [np.prod(np.delete(x, k)) for k in range(4)])


def test_what_a_result_holds_costs_the_gradient_nothing():
    """Of a softmax neither largest element nor powers are computed again, as its result has them;
    a result that saves no total is not kept."""
    (lines,) = softmax.explain().derivatives.values()
    assert [line.split(" of ")[0] for line in lines[:-1]] == ["total2 = sum"]
    assert "exp" not in " ".join(lines)
    assert softmax.keeps == {"x", "out"}
    assert EXAMPLES["log_sum_exp"].op.keeps == {"x"}


def test_a_wrong_use_of_results_is_refused(monkeypatch):
    from nbgraph.ops.rowwise import programs

    def wrong(*args):
        (root,), totals = right(*args)
        return [args[0].arithmetic("mul", args[0].const(1.5), root)], totals

    right = programs.by_results
    monkeypatch.setattr(programs, "by_results", wrong)

    @ng.row_op
    def shares(x):
        power = np.exp(x - x.max())
        return power / power.sum()

    with pytest.raises(CertificateError, match="shares"):
        ng.grad(lambda x: (shares(x) ** 2).sum())(ng.array([1.0, 2.0]))


def test_explain_says_what_was_made():
    text = str(EXAMPLES["log_sum_exp"].op.explain())
    assert "def log_sum_exp(x):" in text
    assert "total0 = largest of x" in text
    assert "points, worst disagreement" in text
    html = softmax.explain()._repr_html_()
    assert "certificate" in html
    assert softmax.explain().to_dict()["dependence"] == {"x": "T1"}


def test_a_wrong_derivative_is_refused(monkeypatch):
    from nbgraph.ops.rowwise import adjoint

    def wrong(graph, outputs, seed, **options):
        return [graph.arithmetic("mul", graph.const(1.5), s) for s in right(graph, outputs, seed)]

    right = adjoint.partials
    monkeypatch.setattr(adjoint, "partials", wrong)

    @ng.row_op
    def cubes(x):
        return (x * x * x).sum()

    with pytest.raises(CertificateError, match="cubes"):
        ng.grad(lambda x: cubes(x).sum())(ng.array([1.0, 2.0]))


def test_labels_out_of_range_are_named():
    op = EXAMPLES["cross_entropy"].op
    with pytest.raises(Exception, match="label"):
        op(np.zeros((2, 3)), np.array([0, 3]))


def test_products_of_rows_and_norms():
    @ng.row_op
    def cosine(x, y):
        return x @ y / (np.linalg.norm(x) * math.sqrt(np.dot(y, y)))

    x, y = np.random.default_rng(0).normal(size=(2, 3, 4))
    expected = [np.dot(a, b) / np.linalg.norm(a) / np.linalg.norm(b) for a, b in zip(x, y)]
    np.testing.assert_allclose(cosine(x, y), expected, rtol=1e-13)


@pytest.mark.parametrize("shape", [(2, 0), (0, 3), (1,)])
def test_rows_without_elements_and_no_rows(shape):
    assert softmax(np.zeros(shape)).shape == shape


def test_it_is_pickled_by_name_and_shows_its_signature():
    assert pickle.loads(pickle.dumps(softmax)) is softmax
    assert str(inspect.signature(softmax)) == "(x, *, axis=-1, temperature=1.0, out=None)"


PROGRAM = """
import pickle, sys
import numpy as np
import nbgraph as ng

SCALE = 2.0

@ng.op
def doubled(x):
    return SCALE * x

@ng.row_op
def shares(x):
    return doubled(x) / x.sum()

@ng.row_op(per_row="label")
def picked(x, label, *, power=1.0):
    return shares(x)[label] ** power

def local():
    return ng.row_op(lambda x: shares(x) - SCALE)

pickle.dump((shares, picked, local()), open(sys.argv[1], "wb"))
"""


def test_what_a_program_defines_is_pickled_by_content(tmp_path):
    """As of notebooks: a process of a pool has another main module, or none of this name."""
    script, path = tmp_path / "program.py", tmp_path / "row.pickle"
    script.write_text(PROGRAM)
    run_python(script, path)
    shares, picked, local = pickle.loads(path.read_bytes())
    x = np.array([[1.0, 3.0]])
    np.testing.assert_allclose(shares(x), [[0.5, 1.5]])
    np.testing.assert_allclose(picked(x, np.array([1]), power=2.0), [2.25])
    np.testing.assert_allclose(local(x), [[-1.5, -0.5]])
    slope = ng.grad(lambda a: shares(a)[0, 0])(ng.array(x))
    np.testing.assert_allclose(slope.asnumpy(), [[0.375, -0.125]])
    for same in (copy.copy(shares), copy.deepcopy([shares])[0]):
        assert same is shares


def test_gpus_have_values_and_gradients(example):
    """The kernel of the same passes; the bits of the host where no sums are shared by threads."""
    given = arrays(example, "float32")
    floats = [k for k in range(len(given)) if k not in example.labels]
    weights = [_some(r).astype("float32") for r in as_tuple(example.op(*given))]
    actual = []
    for device in (ng.cpu(), ng.gpu()):
        operands = [ng.array(x, device=device) for x in given]
        for k in floats:
            operands[k].attach_grad()
        with ng.autograd.record():
            loss = weighted(example, operands, [ng.array(w, device=device) for w in weights])
        loss.backward()
        actual.append([operands[k].grad.asnumpy() for k in floats])
    for host, gpu in zip(*actual, strict=True):
        np.testing.assert_allclose(gpu, host, rtol=2e-5, atol=1e-6)


def _branches(x):
    return x if x.sum() > 0 else -x


def _iterates(x):
    return sum(v for v in x)


def _measures(x):
    return x / len(x)


def _shaped(x):
    return x / x.shape[0]


def _typed(x):
    return x.astype(x.dtype)


def _converts(x):
    return x * float(x.sum())


def _sorts(x):
    return ng.sort(x)


def _other_axis(x):
    return x.sum(axis=1)


def _captures(x):
    return x + np.ones(3)


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (_branches, "ng.where"),
        (_iterates, "x.sum"),
        (_measures, "x.size"),
        (_shaped, "x.size"),
        (_typed, "no shape or dtype"),
        (_converts, "@ng.op"),
        (_sorts, "sort is not a part"),
        (_other_axis, "axis=1"),
        (_captures, "pass arrays as operands"),
    ],
)
def test_what_a_row_cannot_hold_is_refused_with_a_remedy(fn, words):
    with pytest.raises(CaptureError, match=words):
        ng.row_op(fn)


def _starred(*x):
    return x


def _defaults(x, scale=2.0):
    return x * scale


def _required(x, *, scale):
    return x * scale


@pytest.mark.parametrize(
    ("fn", "options", "words"),
    [
        (_starred, {}, "give each operand"),
        (_defaults, {}, r"\(x, \*, scale=2.0\)"),
        (_required, {}, "has no default"),
        (_branches, {"per_row": "label"}, "operands are"),
        (_branches, {"per_row": "x"}, "stand behind"),
        (lambda x: None, {}, "return a value"),
        (lambda x, *, axis=0: x, {}, "axis has a meaning in every call; rename it"),
        (lambda x, out: x, {}, "out has a meaning"),
    ],
)
def test_signatures_that_do_not_fit(fn, options, words):
    with pytest.raises(ArgumentError, match=words):
        ng.row_op(fn, **options)


@ng.row_op(per_row="index")
def _named(x, total, index, *, count=1.0, length=2.0):
    return x[index] * count + x.mean() * length + total.max() - x.size


@ng.row_op
def _outer(x, index, *, count=0.5):
    return _named(x, index, 1, count=count) + x * index * count


@pytest.mark.parametrize("count", [1.0, 3, 0.25])
def test_names_of_a_row_s_length_and_places_are_free(count):
    """A parameter `count` was the row's length, and an operand `index` the place in the row."""
    rng = np.random.default_rng(3)
    x, total, index = rng.normal(size=(4, 5)), rng.normal(size=(4, 5)), np.array([0, 4, 2, 1])
    named = x[range(4), index] * count + x.mean(1) * 2 + total.max(1) - 5
    np.testing.assert_allclose(_named(x, total, index, count=count), named)
    one = x[:, 1] * count + x.mean(1) * 2 + total.max(1) - 5
    np.testing.assert_allclose(_outer(x, total, count=count), one[:, None] + x * total * count)
    gradient = ng.grad(lambda v: _named(v, total, index, count=count).sum())(x)
    expected = np.full((4, 5), 2 / 5)
    expected[range(4), index] += count
    np.testing.assert_allclose(gradient, expected)


@ng.row_op
def _normed(x, w, *, t=2.0):
    shares = _named(ng.softmax(x, temperature=t), x, 0, count=t + 1)
    return ng.layer_norm(x, eps=1e-3) * w + ng.rms_norm(w) + shares


@pytest.mark.parametrize("t", [2.0, 1, 0.5])
def test_norms_and_row_operators_within_one(t):
    """Their parameters may be its own, or what follows from these."""
    x, w = np.random.default_rng(5).normal(size=(2, 4, 5))
    shares = ng.softmax(x, temperature=float(t))
    inner = shares[:, 0] * (t + 1) + shares.mean(1) * 2 + x.max(1) - 5
    wanted = ng.layer_norm(x, eps=1e-3) * w + ng.rms_norm(w) + inner[:, None]
    np.testing.assert_allclose(_normed(x, w, t=t), wanted)


def test_helpers_with_mathematics_of_their_own_say_what_to_do():
    def helper(v):
        return math.exp(v)  # of this module: rows do not reach it

    @ng.row_op
    def shares(x):
        return math.exp(x) / np.exp(x).sum()

    x = np.array([0.0, 1.0])
    np.testing.assert_allclose(shares(x), ng.softmax(x))
    with pytest.raises(CaptureError, match="@ng.op"):
        ng.row_op(lambda x: helper(x) * 2)


def test_negative_zero_is_a_value_of_its_own():
    """A parameter of -0.0 after one of 0.0, whatever remembers calls."""

    @ng.row_op
    def divided(x, *, by=1.0):
        return x / by + 0.0 * x.sum()

    x, values = np.ones((2, 3)), {1: 0.0, -1: -0.0}
    compiled = {s: ng.jit(lambda x, by=by: divided(x, by=by)) for s, by in values.items()}
    for _ in range(3):
        for sign, by in values.items():
            with np.errstate(divide="ignore"):
                for quotient in (divided(x, by=by), divided(ng.array(x), by=by)):
                    assert (np.asarray(quotient) == sign * np.inf).all()
            assert (compiled[sign](ng.array(x)).asnumpy() == sign * np.inf).all()
            padded = ng.pad(ng.array(x[0]), 1, constant_values=by)
            assert np.signbit(padded.asnumpy()[0]) == (sign < 0)


def test_numpys_clip_and_what_is_no_part():
    """Clip by NumPy's name; of others the error names the function."""
    x = np.random.default_rng(5).normal(size=(3, 5))
    clipped = ng.row_op(lambda x: np.clip(x, -1, 1))(x)
    np.testing.assert_array_equal(clipped, np.clip(x, -1, 1))
    for name, more in (("quantile", (0.5,)), ("interp", ([0, 1], [1, 2])), ("linalg.norm", (1,))):
        function = eval(f"np.{name}")  # noqa: S307
        with pytest.raises(CaptureError, match=f"{name} with these arguments is not a part"):
            ng.row_op(lambda x: function(x, *more))(x)


def test_a_graph_with_a_gradient_is_saved():
    """The gradient of a row operator is told by the operator, and by what it is of."""
    x = ng.var("x", shape=(3, 4))
    slope = ng.grad(lambda x: ng.sum(ng.softmax(x) ** 2))(x)
    again = ng.sym.load_json(slope.tojson())
    value = np.random.default_rng(0).normal(size=(3, 4)).astype("float32")
    actual = [
        s.bind(ng.cpu(), {"x": ng.array(value)}).forward()[0].asnumpy() for s in (slope, again)
    ]
    np.testing.assert_array_equal(*actual)
    assert again.tojson() == slope.tojson()
