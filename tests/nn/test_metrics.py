"""Metrics against NumPy and scikit-learn."""

import contextlib
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr
from sklearn import metrics as judge
from sklearn.metrics import accuracy_score, confusion_matrix, log_loss, top_k_accuracy_score

import nbgraph as ng
from nbgraph.errors import ArgumentError, LabelError, ShapeError
from nbgraph.nn import metrics

RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=(50, 6)).astype("float32")
LABELS = RNG.permutation(np.arange(50) % 6)
SHARES = np.exp(SCORES) / np.exp(SCORES).sum(1, keepdims=True)
CLASSES = np.arange(6)

CASES = {
    "accuracy": (metrics.accuracy, accuracy_score(LABELS, SCORES.argmax(1))),
    "top_1": (metrics.top_k(1), accuracy_score(LABELS, SCORES.argmax(1))),
    "top_3": (metrics.top_k(3), top_k_accuracy_score(LABELS, SCORES, k=3)),
    "cross_entropy": (metrics.cross_entropy, log_loss(LABELS, SHARES, labels=CLASSES)),
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_classes_are_judged_as_by_scikit_learn(name, compiled):
    metric, expected = CASES[name]
    run = ng.jit(metric) if compiled else metric
    found = run(ng.array(SCORES), ng.array(LABELS))
    assert found.shape == () and abs(found.item() - expected) < 1e-5
    assert metrics.name_of(metric) == name


@pytest.mark.parametrize(
    ("metric", "expected"), [(metrics.mse, lambda d: d * d), (metrics.mae, np.abs)]
)
def test_numbers_are_judged_by_mean_differences(metric, expected):
    a, b = RNG.normal(size=(2, 20)).astype("float32")
    assert abs(metric(ng.array(a), ng.array(b)).item() - expected(a - b).mean()) < 1e-5


def test_confusion_counts_pairs_of_classes():
    found = metrics.confusion(ng.array(SCORES), ng.array(LABELS), 6)
    np.testing.assert_array_equal(found, confusion_matrix(LABELS, SCORES.argmax(1)))


def test_k_begins_with_one():
    with pytest.raises(ArgumentError, match="k=0"):
        metrics.top_k(0)


CLASSED = {
    "accuracy": metrics.accuracy,
    "top_2": metrics.top_k(2),
    "cross_entropy": metrics.cross_entropy,
    "confusion": lambda out, target: metrics.confusion(out, target, 6),
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("wrong", [6, -1])
@pytest.mark.parametrize("name", CLASSED)
def test_a_target_that_is_no_class_raises_where_the_metric_is_waited_for(name, wrong, compiled):
    labels = LABELS.copy()
    labels[7] = wrong
    metric = ng.jit(CLASSED[name]) if compiled else CLASSED[name]
    text = rf"{name}\d*: label\.flat\[7\] is {wrong}; expected a class from 0 to 5"
    try:
        with pytest.raises((LabelError, IndexError)) as told:
            metric(ng.array(SCORES), ng.array(labels)).asnumpy()
        if not (compiled and name == "top_2"):  # a plan may come to the indices first
            assert re.search(text, str(told.value)), told.value
    finally:
        seen = False
        while not seen:  # several kernels have looked at the label
            with contextlib.suppress(LabelError, IndexError):
                ng.waitall()
                seen = True


# over uneven batches -----------------------------------------------------------------------------

WEIGHTS = RNG.integers(0, 4, 50) / 2
YES = (LABELS > 2).astype("int64")
PAIRS = SCORES[:, :2]
LABELLED = (RNG.normal(size=(50, 4)) > 0.3).astype("int64")
OUTPUTS = RNG.normal(size=(50, 4)).astype("float32")
NUMBERS = (1e4 + RNG.normal(size=50)).astype("float32")
GUESSES = (NUMBERS + RNG.normal(size=50) / 3).astype("float32")
RANKED = np.round(SCORES[:, 0], 1)  # with ties
AVERAGES = ["micro", "macro", "weighted", None]


def by_pearson(target, out, sample_weight=None):
    if sample_weight is None:
        return pearsonr(out, target).statistic
    return np.corrcoef(np.repeat(np.stack([out, target]), (2 * sample_weight).astype(int), 1))[0, 1]


def by_top_2(target, out, sample_weight=None):
    return top_k_accuracy_score(target, out, k=2, sample_weight=sample_weight)


def of_choice(judged, **options):
    return lambda target, out, **how: judged(target, out.argmax(1), **options, **how)


def of_sign(judged, **options):
    return lambda target, out, **how: judged(target, out > 0, **options, **how)


def by_log_loss(target, out, **how):
    shares = np.exp(out.astype("float64")) / np.exp(out.astype("float64")).sum(1, keepdims=True)
    return log_loss(target, shares, labels=CLASSES, **how)


RATIOS = {
    "precision": (metrics.Precision, judge.precision_score),
    "recall": (metrics.Recall, judge.recall_score),
    "f1": (metrics.F1, judge.f1_score),
}
STREAMED = {
    "accuracy": (metrics.accuracy, of_choice(accuracy_score), SCORES, LABELS),
    "top_2": (metrics.top_k(2), by_top_2, SCORES, LABELS),
    "cross_entropy": (metrics.cross_entropy, by_log_loss, SCORES, LABELS),
    "perplexity": (
        metrics.perplexity, lambda *a, **k: np.exp(by_log_loss(*a, **k)), SCORES, LABELS,
    ),
    "confusion": (metrics.Confusion(), of_choice(confusion_matrix), SCORES, LABELS),
    "auc": (metrics.AUC(), judge.roc_auc_score, RANKED, YES),
    "auc of two": (
        metrics.AUC(), lambda t, o, **k: judge.roc_auc_score(t, o[:, 1] - o[:, 0], **k), PAIRS, YES,
    ),
    "mse": (metrics.mse, judge.mean_squared_error, GUESSES, NUMBERS),
    "mae": (metrics.mae, judge.mean_absolute_error, GUESSES, NUMBERS),
    "rmse": (metrics.rmse, judge.root_mean_squared_error, GUESSES, NUMBERS),
    "r2": (metrics.R2(), judge.r2_score, GUESSES.astype("f8"), NUMBERS.astype("f8")),
    "r2 of columns": (metrics.R2(), judge.r2_score, OUTPUTS, LABELLED * 1.0),
    "pearson": (metrics.Pearson(), by_pearson, GUESSES.astype("f8"), NUMBERS.astype("f8")),
    **{
        f"{name} of {average}": (
            made(average), of_choice(judged, average=average, zero_division=0), SCORES, LABELS,
        )
        for name, (made, judged) in RATIOS.items()
        for average in AVERAGES
    },
    **{
        f"{name} of labels, {average}": (
            made(average, threshold=0.0), of_sign(judged, average=average, zero_division=0),
            OUTPUTS, LABELLED,
        )
        for name, (made, judged) in RATIOS.items()
        for average in AVERAGES
    },
    **{
        f"{name} of two": (made(), of_choice(judged), PAIRS, YES)
        for name, (made, judged) in RATIOS.items()
    },
    **{
        f"{name} by a threshold": (made(threshold=0.0), of_sign(judged), SCORES[:, 0], YES)
        for name, (made, judged) in RATIOS.items()
    },
}  # fmt: skip
CUTS = [0, 7, 8, 31, 50]


def metered(metric, out, target, weight=None):
    """The value over uneven batches."""
    meter = metrics.Meter(metric)
    for low, high in zip(CUTS, CUTS[1:]):
        each = None if weight is None else ng.array(weight[low:high])
        meter.update(ng.array(out[low:high]), ng.array(target[low:high]), each)
    return meter.get()[meter.names[0]]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", STREAMED)
def test_sums_over_uneven_batches_are_those_of_scikit_learn(name, weighted):
    metric, judged, out, target = STREAMED[name]
    how = {"sample_weight": WEIGHTS} if weighted else {}
    found = metered(metric, out, target, WEIGHTS if weighted else None)
    rtol = 2e-6 if out.dtype == "float32" else 1e-9
    np.testing.assert_allclose(found, judged(target, out, **how), rtol=rtol, atol=1e-12)


@settings(max_examples=10, deadline=None)
@given(
    cuts=st.lists(st.integers(1, 49), max_size=6, unique=True).map(sorted),
    weights=st.lists(st.integers(0, 3), min_size=50, max_size=50).filter(any),
)
def test_any_cut_into_batches_gives_the_same(cuts, weights):
    names = ["accuracy", metrics.F1("macro"), "confusion", "cross_entropy"]
    whole, parts = metrics.Meter(names), metrics.Meter(names)
    whole.update(ng.array(SCORES), ng.array(LABELS), ng.array(np.array(weights, "float32")))
    for low, high in zip([0, *cuts], [*cuts, 50]):
        each = ng.array(np.array(weights[low:high], "float32"))
        parts.update(ng.array(SCORES[low:high]), ng.array(LABELS[low:high]), each)
    for name, value in whole.get().items():
        np.testing.assert_allclose(parts.get()[name], value, rtol=1e-6)


@pytest.mark.parametrize("name", ["accuracy", "cross_entropy", "f1 of macro", "confusion", "auc"])
def test_sums_are_array_programs(name):
    """They are compiled into the step of a training: traced they give the same."""
    metric, _, out, target = STREAMED[name]
    args = ng.array(out), ng.array(target), ng.array(WEIGHTS)
    for plain, traced in zip(metric.sums(*args), ng.jit(metric.sums)(*args), strict=True):
        np.testing.assert_allclose(traced.asnumpy(), plain.asnumpy(), rtol=1e-6)


@pytest.mark.parametrize("metric", [
    metrics.Accuracy, metrics.CrossEntropy, metrics.Perplexity,
    lambda ignore_label: metrics.top_k(2, ignore_label),
    lambda ignore_label: metrics.Mean(ng.cross_entropy, ignore_label=ignore_label),
])  # fmt: skip
def test_ignored_labels_do_not_count(metric):
    ignored = np.where(WEIGHTS > 0.5, LABELS, -1)
    kept = ignored >= 0
    whole = metrics.Meter(metric(None))
    whole.update(ng.array(SCORES[kept]), ng.array(LABELS[kept]))
    (expected,) = whole.get().values()
    assert abs(metered(metric(-1), SCORES, ignored) - expected) < 1e-6 * expected
    none = metric(-1)(ng.array(SCORES), ng.array(np.full(50, -1)))
    assert np.isfinite(none.item())  # a batch of padding alone trains nothing, and spoils nothing


def test_weights_of_classes_are_weights_of_their_samples():
    each = {1: 3.0, 4: 0.0}
    loss = metrics.Mean(ng.cross_entropy, class_weight=each)
    weight = np.array([each.get(label, 1.0) for label in LABELS])
    expected = log_loss(LABELS, SHARES, sample_weight=weight, labels=CLASSES)
    assert abs(loss(ng.array(SCORES), ng.array(LABELS)).item() - expected) < 1e-5
    table = [each.get(label, 1.0) for label in range(6)]
    same = metrics.Mean(ng.cross_entropy, class_weight=table)
    assert abs(metered(same, SCORES, LABELS) - expected) < 1e-5
    with pytest.raises(ArgumentError, match="6 is not a class from 0 to 5"):
        metrics.Mean(ng.cross_entropy, class_weight={6: 1.0})(ng.array(SCORES), ng.array(LABELS))
    with pytest.raises(ShapeError, match="2 weights for 6 classes"):
        metrics.Mean(ng.cross_entropy, class_weight=[1, 2])(ng.array(SCORES), ng.array(LABELS))


def test_targets_of_sequences_count_one_by_one():
    """Batches of other lengths: the mean is over all targets, whatever batch they are in."""
    meter = metrics.Meter([metrics.Accuracy(-1), metrics.F1("macro")])
    outs = [RNG.normal(size=(4, n, 3)).astype("float32") for n in (5, 2)]
    targets = [RNG.integers(0, 3, (4, n)) for n in (5, 2)]
    for out, target in zip(outs, targets):
        meter.update(ng.array(out), ng.array(target))
    chosen = np.concatenate([out.argmax(-1).ravel() for out in outs])
    wanted = np.concatenate([target.ravel() for target in targets])
    found = meter.get()
    np.testing.assert_allclose(found["accuracy"], (chosen == wanted).mean())
    np.testing.assert_allclose(found["f1"], judge.f1_score(wanted, chosen, average="macro"))


def test_a_meter_goes_on_from_its_state():
    names = ["accuracy", "confusion", metrics.F1("macro")]
    args = [(ng.array(SCORES[a:b]), ng.array(LABELS[a:b])) for a, b in zip(CUTS, CUTS[1:])]
    whole, first, second = (metrics.Meter(names) for _ in range(3))
    for i, each in enumerate(args):
        whole.update(*each)
        (first if i < 2 else second).update(*each)
        if i == 1:
            second.load_state_dict(first.state_dict())
    for name, value in whole.get().items():
        np.testing.assert_array_equal(second.get()[name], value)
    second.reset()
    with pytest.raises(ArgumentError, match="there was no batch"):
        second.get()


def test_what_is_joined_is_kept_piece_by_piece():
    meter = metrics.Meter([metrics.AUC(), "r2"])
    for low in range(50):
        meter.update(
            ng.array(RANKED[low : low + 1].astype("f8")), ng.array(YES[low : low + 1] * 1.0)
        )
    for _ in range(50):  # pieces are put together on the way
        meter.update(ng.array(RANKED[:1].astype("f8")), ng.array(YES[:1] * 1.0), ng.array([0.0]))
    found = meter.get()
    assert abs(found["auc"] - judge.roc_auc_score(YES, RANKED)) < 1e-12
    assert abs(found["r2"] - judge.r2_score(YES, RANKED.astype("f8"))) < 1e-9


def test_metrics_have_names():
    assert metrics.create("top_k", k=3).__name__ == "top_3"
    with pytest.raises(ArgumentError, match="one of accuracy, top_k"):
        metrics.create("acuracy")
    with pytest.raises(ArgumentError, match="two are called 'f1'"):
        metrics.Meter([metrics.F1("macro"), metrics.F1("micro")])
    with pytest.raises(ArgumentError, match="average='mean'; expected 'binary', 'micro'"):
        metrics.F1("mean")
    with pytest.raises(ShapeError, match="of 6 classes, and average='binary' is for two"):
        metrics.F1()(ng.array(SCORES), ng.array(LABELS))
    with pytest.raises(ShapeError, match=r"auc: out\(50, 6\) and target\(50,\)"):
        metrics.AUC()(ng.array(SCORES), ng.array(LABELS))


def test_one_number_for_a_batch_takes_no_weights():
    def loss(out, target):
        return ng.mean(ng.square(out - target))

    args = ng.array(GUESSES), ng.array(NUMBERS)
    assert metrics.Mean(loss)(*args).shape == ()
    with pytest.raises(ArgumentError, match="loss: weights need a value for each sample, .*'none'"):
        metrics.Mean(loss)(*args, ng.ones(50))
    with pytest.raises(ShapeError, match=r"mse: weights have shape \(3,\)"):
        metrics.mse(*args, ng.ones(3))


@pytest.mark.parametrize("warned", [True, False])
def test_a_loss_that_pairs_each_output_with_all_targets_warns(warned):
    """One that takes the column apart itself does not."""
    out, target = ng.ones((4, 1)), ng.zeros(4)
    column = (lambda x: x) if warned else (lambda x: x[:, 0])
    loss = metrics.Mean(lambda out, target: ng.square(column(out) - target))
    warning = pytest.warns(UserWarning, match="difference has shape")
    with warning if warned else contextlib.nullcontext():
        assert float(loss.mean(out, target)[0]) == 1
