"""Metrics by name."""

from collections.abc import Callable, Sequence
from typing import Any

from nbgraph import foreign
from nbgraph.errors import ArgumentError, function_name
from nbgraph.nn.metrics import classes, counts, numbers, ranking
from nbgraph.nn.metrics.metric import Mean, Metric
from nbgraph.signatures import accepts

_NAMED: dict[str, Callable[..., Metric]] = {
    "accuracy": classes.Accuracy,
    "top_k": classes.top_k,
    "cross_entropy": classes.CrossEntropy,
    "perplexity": classes.Perplexity,
    "precision": counts.Precision,
    "recall": counts.Recall,
    "f1": counts.F1,
    "confusion": counts.Confusion,
    "auc": ranking.AUC,
    "mse": lambda: numbers.mse,
    "mae": lambda: numbers.mae,
    "rmse": lambda: numbers.rmse,
    "r2": numbers.R2,
    "pearson": numbers.Pearson,
}
_LOSSES = ("cross_entropy", "mse", "mae")  # those that are means over samples


def create(metric: Any, *, what: str = "metric ", **options: Any) -> Metric:
    """Return the metric of a name with its options, of a function, or a metric itself.

    >>> create("top_k", k=3), create(lambda out, target: out - target).joined
    (<metric top_3>, False)
    """
    if isinstance(metric, Metric):
        return metric
    if isinstance(metric, str) and metric in _NAMED:
        return _NAMED[metric](**options)
    if not callable(metric):
        names = _LOSSES if "loss" in what else _NAMED
        near = foreign.remedy(metric, names, foreign.LOSSES) if isinstance(metric, str) else ""
        hint = near and f"{near}; ".replace("?;", "?")
        raise ArgumentError(
            f"{what}{metric!r}; {hint}expected a function of outputs and targets, or one of "
            f"{', '.join(names)}"
        )
    if not accepts(metric, 2):
        raise ArgumentError(
            f"{what}{function_name(metric)}: it is called with two arguments, outputs and targets; "
            "write it as a function of both"
        )
    return Mean(metric, **options)


def metrics_of(metrics: Any) -> list[Metric]:
    """Return metrics of one or several; raise ArgumentError where two have one name."""
    listed: Sequence[Any] = metrics if isinstance(metrics, (list, tuple)) else [metrics]
    created = [create(metric) for metric in listed]
    names = [metric.__name__ for metric in created]
    for name in names:
        if names.count(name) > 1:
            raise ArgumentError(
                f"metrics: two are called {name!r}; give names, as by Mean(function, name)"
            )
    return created
