"""MXNet's small operators of contrib, against NumPy, and the names of `nd` and `sym` besides
operators."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, MissingName, ShapeError

RANDOM = np.random.default_rng(0)
STEPS, OTHERS, SAMPLES, HEADS, SIZE = 3, 4, 2, 2, 5


def normal(*shape):
    return RANDOM.normal(size=shape).astype("float32")


def attended(queries, keys, values):
    """Attention of one head after the other: scores, and values weighted by them."""
    scores, results = [], []
    for n in range(SAMPLES):
        for h in range(HEADS):
            own = queries[:, n, h] @ keys[:, n, h].T / np.sqrt(SIZE)
            scores.append(own)
            results.append(own @ values[:, n, h])
    results = np.array(results).reshape(SAMPLES, HEADS, -1, SIZE).transpose(2, 0, 1, 3)
    return np.array(scores), results.reshape(len(queries), SAMPLES, HEADS * SIZE)


@pytest.mark.parametrize("world", ["numpy", "nd", "sym"])
def test_attention_of_interleaved_heads(world):
    """X-NDA-09: scores and values as in MXNet, of one sequence and of two."""
    three, two = normal(STEPS, SAMPLES, HEADS, 3, SIZE), normal(OTHERS, SAMPLES, HEADS, 2, SIZE)
    query, flat = normal(STEPS, SAMPLES, HEADS, SIZE), lambda x: x.reshape(*x.shape[:2], -1)
    space = {"numpy": ng, "nd": ng.nd, "sym": ng.sym}[world]

    def run(name, *operands):
        call = getattr(space, f"interleaved_matmul_{name}")
        if world != "sym":
            return call(*operands, heads=HEADS)
        names = [f"x{k}" for k in range(len(operands))]
        made = call(*(ng.var(n) for n in names), heads=HEADS)
        return made.eval(**dict(zip(names, map(ng.array, operands))))[0]

    scores, values = attended(*(three[:, :, :, k] for k in range(3)))
    own = run("selfatt_qk", flat(three))
    np.testing.assert_allclose(own, scores, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(
        run("selfatt_valatt", flat(three), scores), values, rtol=1e-4, atol=1e-5
    )
    scores, values = attended(query, two[:, :, :, 0], two[:, :, :, 1])
    found = run("encdec_qk", flat(query), flat(two))
    np.testing.assert_allclose(found, scores, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(
        run("encdec_valatt", flat(two), scores), values, rtol=1e-4, atol=1e-5
    )


def test_attention_refuses_what_does_not_divide():
    with pytest.raises(ShapeError, match=r"shape \(3, 2, 10\), heads is 2; .* multiple of 3"):
        ng.nd.interleaved_matmul_selfatt_qk(normal(3, 2, 10), heads=2)


@pytest.mark.parametrize("form", ["corner", "center"])
def test_overlap_of_boxes(form):
    """Against counting cells: boxes have whole corners here."""
    corners = RANDOM.integers(0, 6, (7, 2, 2))
    corners = np.sort(corners, axis=1) + np.array([[[0], [1]]])
    cells = np.zeros((7, 8, 8), bool)
    for k, ((left, top), (right, bottom)) in enumerate(corners):
        cells[k, left:right, top:bottom] = True
    both = (cells[:, None] & cells[None]).sum((2, 3))
    either = (cells[:, None] | cells[None]).sum((2, 3))
    boxes = corners.reshape(7, 4).astype("float32")
    if form == "center":
        low, high = boxes[:, :2], boxes[:, 2:]
        boxes = np.concatenate([(low + high) / 2, high - low], 1)
    found = ng.nd.contrib.box_iou(boxes[:4].reshape(2, 2, 4), boxes, format=form)
    assert found.shape == (2, 2, 7)
    np.testing.assert_allclose(found.asnumpy().reshape(4, 7), (both / either)[:4], rtol=1e-5)
    apart = ng.nd.contrib.box_iou([[0.0, 0.0, 0.0, 0.0]], [[1.0, 1.0, 1.0, 1.0]])
    assert apart.tolist() == [[0.0]]
    with pytest.raises(ArgumentError, match=r"format='edges'; expected 'corner' or 'center'"):
        ng.nd.contrib.box_iou(boxes, boxes, format="edges")


def share(a, b):
    """The overlap of two boxes by their corners."""
    width, height = (min(a[k + 2], b[k + 2]) - max(a[k], b[k]) for k in (0, 1))
    both = max(width, 0) * max(height, 0)
    return both / (sum((c[2] - c[0]) * (c[3] - c[1]) for c in (a, b)) - both)


def suppressed_one_by_one(boxes, how):
    """The boxes (class, score, corners) of a picture that stay, by MXNet's rules."""
    kinds = how.get("id_index", -1) >= 0
    left = [b for b in boxes if b[1] > how.get("valid_thresh", 0)]
    left = [b for b in left if not kinds or b[0] != how.get("background_id", -1)]
    left = sorted(left, key=lambda b: -b[1])[: how.get("topk", len(boxes))]
    kept = []
    for box in left:
        rivals = [k for k in kept if not kinds or how.get("force_suppress") or k[0] == box[0]]
        if all(share(k[2:], box[2:]) <= how.get("overlap_thresh", 0.5) for k in rivals):
            kept.append(box)
    return np.array(kept + [np.full(6, -1)] * (len(boxes) - len(kept)))


def centred(boxes):
    first, last = boxes[..., 2:4], boxes[..., 4:]
    return np.concatenate([boxes[..., :2], (first + last) / 2, last - first], -1)


BOXES = np.concatenate(
    [RANDOM.integers(0, 3, (2, 9, 1)), RANDOM.permutation(18).reshape(2, 9, 1) / 18], -1
)
BOXES = np.concatenate([BOXES, *(c := RANDOM.random((2, 2, 9, 2)) * 0.5)[:1], c[1] + c[0]], -1)


@pytest.mark.parametrize("world", ["numpy", "nd", "sym"])
@pytest.mark.parametrize(
    "how",
    [
        {}, {"overlap_thresh": 0.2}, {"topk": 3}, {"valid_thresh": 0.4}, {"id_index": 0},
        {"id_index": 0, "force_suppress": True, "overlap_thresh": 0.1},
        {"id_index": 0, "background_id": 1, "valid_thresh": 0.2, "topk": 4},
    ],
)  # fmt: skip
def test_boxes_are_suppressed(world, how):
    """X-NDA-09: the loop against one by one; both ways of writing boxes, in each world."""
    expected = np.array([suppressed_one_by_one(list(boxes), how) for boxes in BOXES])
    call = {"numpy": ng, "nd": ng.nd.contrib, "sym": ng.sym.contrib}[world].box_nms
    for form, data in (("corner", BOXES), ("center", centred(BOXES))):
        options = {**how, "in_format": form, "out_format": "corner"}
        data = data.astype("float32")
        if world == "sym":
            (result,) = call(ng.var("x"), **options).eval(x=ng.array(data))
        else:
            result = call(ng.array(data) if world == "nd" else data, **options)
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def test_gradients_of_boxes_that_stay():
    """Of each number the place in the input that it comes from; suppressed boxes have none."""
    x = ng.array(BOXES, "float32")
    x.attach_grad()
    with ng.autograd.record():
        y = ng.nd.contrib.box_nms(x, overlap_thresh=0.2)
    y.backward(y)
    kept = [np.isin(own[:, 1], stay[:, 1]) for own, stay in zip(x.asnumpy(), y.asnumpy())]
    np.testing.assert_array_equal(x.grad, x.asnumpy() * np.array(kept)[..., None])


@pytest.mark.parametrize(
    ("how", "count"),
    [({}, 1), ({"sizes": (0.3, 0.6), "ratios": (1, 2, 0.5)}, 4), ({"clip": True, "sizes": 2.0}, 1)],
)
def test_boxes_around_cells(how, count):
    """Centres and sizes of a map of 2 rows and 4 columns; MXNet's order."""
    sizes, ratios = np.ravel(how.get("sizes", 1.0)), how.get("ratios", (1,))
    result = ng.nd.contrib.MultiBoxPrior(ng.zeros((1, 3, 2, 4)), **how).asnumpy()
    own = result.reshape(2, 4, count, 4)
    kinds = [(s, ratios[0]) for s in sizes] + [(sizes[0], r) for r in ratios[1:]]
    for (i, j, k), _ in np.ndenumerate(own[..., 0]):
        size, ratio = kinds[k]
        x, y, w, h = (j + 0.5) / 4, (i + 0.5) / 2, size * ratio**0.5 / 2, size / ratio**0.5
        box = np.array([x - w / 2, y - h / 2, x + w / 2, y + h / 2])
        box = box.clip(0, 1) if how.get("clip") else box
        np.testing.assert_allclose(own[i, j, k], box, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: ng.nd.box_nms(normal(2, 5)), ShapeError, "box_nms: data has shape .2, 5."),
        (
            lambda: ng.nd.box_nms(normal(2, 6), out_format="edges"),
            ArgumentError,
            "box_nms: out_format='edges'; expected 'corner' or 'center'",
        ),
        (lambda: ng.nd.MultiBoxPrior(normal(2, 5)), ShapeError, r"MultiBoxPrior: data\(2, 5\)"),
    ],
)
def test_boxes_that_are_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("axes", [None, (1,), (2, 0)])
def test_places_of_elements(axes):
    x = normal(2, 3, 4)
    wanted = np.stack([np.indices(x.shape)[k] for k in axes or range(3)], -1)
    np.testing.assert_array_equal(ng.nd.contrib.index_array(x, axes=axes), wanted)
    (found,) = ng.sym.contrib.index_array(ng.var("x"), axes=axes).eval(x=ng.array(x))
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    ("mode", "sizes"),
    [
        ("to_even_down", (4, 6)), ("to_even_up", (6, 6)), ("to_odd_down", (5, 5)),
        ("to_odd_up", (5, 7)), ("odd_scale", (9, 12)), ("like", (3, 8)),
    ],
)  # fmt: skip
def test_sizes_of_resized_maps(mode, sizes):
    """The modes say the size; the numbers are those of that size."""
    x, more = normal(1, 2, 5, 6), {}
    if mode == "odd_scale":
        more = {"scale_height": 2.0, "scale_width": 2.0}
    like = [ng.ones((1, 1, 3, 8))] if mode == "like" else []
    found = ng.nd.contrib.BilinearResize2D(x, *like, mode=mode, **more)
    wanted = ng.nd.contrib.BilinearResize2D(x, height=sizes[0], width=sizes[1])
    assert found.shape[2:] == sizes
    np.testing.assert_array_equal(found, wanted)


def test_spaces_have_what_makes_arrays_and_symbols():
    """MXNet's names for these, which are no operators."""
    x = ng.nd.array([1, 2])
    assert x.dtype == np.float32 and ng.nd.array(ng.array([1])).dtype == np.int64
    assert ng.nd.array([1], ctx=ng.cpu(), dtype="int32").dtype == np.int32
    assert isinstance(x, ng.nd.NDArray) and isinstance(ng.sym.Variable("x"), ng.sym.Symbol)
    assert ng.nd.from_numpy(np.ones(2)).tolist() == [1.0, 1.0]
    assert {"array", "waitall"} <= {*dir(ng.nd)} and ng.nd.waitall() is None
    with pytest.raises(MissingName, match="it is ng.jit"):
        _ = ng.nd.jit


def test_several_outputs_are_one_symbol():
    """Their names are listed, and they come by number, by name or one by one."""
    cut = ng.sym.SliceChannel(ng.var("x"), num_outputs=3, name="cut")
    assert cut.list_outputs() == ["cut_output0", "cut_output1", "cut_output2"]
    values = [v.tolist() for v in cut.eval(x=ng.array([[1.0, 2.0, 3.0]]))]
    assert values == [[[1.0]], [[2.0]], [[3.0]]]
    first, *_ = cut
    assert first.list_outputs() == cut[0].list_outputs() == cut["cut_output0"].list_outputs()
    for joined in (ng.sym.Concat(*cut), ng.sym.concatenate(cut, axis=1), ng.sym.add_n(cut)):
        assert joined.list_arguments() == ["x"]
    with pytest.raises(ArgumentError, match="a group of 3 symbols stands where one is wanted"):
        ng.sym.exp(cut)
    assert len(ng.sym.split(ng.var("x"), 1)) == 1


BY_PLACE = {
    "slice_like": (((3, 4), (2, 3)), {"axes": (0, 1)}),
    "moments": (((3, 4),), {"axes": (0,), "keepdims": True}),
    "box_iou": (((2, 4), (3, 4)), {"format": "center"}),
    "linalg_makediag": (((3,),), {"offset": 1}),
    "linalg_extractdiag": (((3, 3),), {"offset": -1}),
    "BilinearResize2D": (((1, 2, 4, 5),), {"like": None, "height": 3, "width": 4}),
    "SpatialTransformer": (
        ((1, 2, 4, 5), (1, 6)),
        {"target_shape": (2, 3), "transform_type": "affine", "sampler_type": "bilinear"},
    ),
    "Correlation": (
        ((1, 2, 4, 4), (1, 2, 4, 4)),
        {"kernel_size": 1, "max_displacement": 1, "stride1": 1, "stride2": 1, "pad_size": 1},
    ),
}


@pytest.mark.parametrize("name", BY_PLACE)
def test_options_by_place_as_mxnet_has_them(name):
    """OPP-24: in the order of MXNet's signature."""
    shapes, options = BY_PLACE[name]
    op, arrays = getattr(ng.nd, name), [ng.array(normal(*shape)) for shape in shapes]
    outs, wanted = op(*arrays, *options.values()), op(*arrays, **options)
    for out, own in zip(*map(many, (outs, wanted)), strict=True):
        np.testing.assert_array_equal(out.asnumpy(), own.asnumpy())


def many(value):
    return value if isinstance(value, (list, tuple)) else [value]


def test_rows_that_are_others_by_mxnets_names():
    x, rows = np.zeros((3, 2)), np.ones((1, 2))
    out = ng.nd.contrib.index_copy(old_tensor=x, index_vector=np.array([1]), new_tensor=rows)
    assert out.tolist() == [[0, 0], [1, 1], [0, 0]]
