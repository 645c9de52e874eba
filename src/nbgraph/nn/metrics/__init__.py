"""Measures of outputs: losses and metrics as sums over samples, exact over uneven batches.

A metric is called with a batch's outputs and targets; `fit` and `evaluate` add up the sums of all
batches and take the ratio at the end of an epoch. Outputs and targets have shapes that belong
together, else it is a ShapeError; a target that names no class is a LabelError where the value is
waited for. Any function of outputs and targets is a metric as well: see `Mean`.

>>> import nbgraph as ng
>>> scores, labels = ng.array([[0.1, 0.9], [0.8, 0.2]]), ng.array([1, 1], "int64")
>>> accuracy(scores, labels)
array(0.5, dtype=float32)
>>> meter = Meter([accuracy, F1()])
>>> meter.update(scores, labels)
>>> meter.update(scores[:1], labels[:1])
>>> {name: round(value, 4) for name, value in meter.get().items()}
{'accuracy': 0.6667, 'f1': 0.8}
"""

from nbgraph._listing import bring
from nbgraph.foreign import published

_PLACES = """
classes Accuracy CrossEntropy Perplexity accuracy cross_entropy perplexity top_k
counts F1 Confusion Precision Recall confusion
meter Meter
metric Mean Metric name_of
named create
numbers R2 Pearson mae mse rmse
ranking AUC
"""
bring(globals(), _PLACES)

__dir__, __getattr__ = published("ng.nn.metrics", globals())
