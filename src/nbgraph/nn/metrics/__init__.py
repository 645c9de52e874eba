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

from nbgraph.foreign import missing
from nbgraph.nn.metrics.classes import Accuracy as Accuracy
from nbgraph.nn.metrics.classes import CrossEntropy as CrossEntropy
from nbgraph.nn.metrics.classes import Perplexity as Perplexity
from nbgraph.nn.metrics.classes import accuracy as accuracy
from nbgraph.nn.metrics.classes import cross_entropy as cross_entropy
from nbgraph.nn.metrics.classes import perplexity as perplexity
from nbgraph.nn.metrics.classes import top_k as top_k
from nbgraph.nn.metrics.counts import F1 as F1
from nbgraph.nn.metrics.counts import Confusion as Confusion
from nbgraph.nn.metrics.counts import Precision as Precision
from nbgraph.nn.metrics.counts import Recall as Recall
from nbgraph.nn.metrics.counts import confusion as confusion
from nbgraph.nn.metrics.meter import Meter as Meter
from nbgraph.nn.metrics.metric import Mean as Mean
from nbgraph.nn.metrics.metric import Metric as Metric
from nbgraph.nn.metrics.metric import name_of as name_of
from nbgraph.nn.metrics.named import create as create
from nbgraph.nn.metrics.numbers import R2 as R2
from nbgraph.nn.metrics.numbers import Pearson as Pearson
from nbgraph.nn.metrics.numbers import mae as mae
from nbgraph.nn.metrics.numbers import mse as mse
from nbgraph.nn.metrics.numbers import rmse as rmse
from nbgraph.nn.metrics.ranking import AUC as AUC

__getattr__ = missing("ng.nn.metrics", globals())
