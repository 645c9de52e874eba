"""Callbacks of a training: `fit(callbacks=[...])`.

>>> import numpy as np, nbgraph as ng
>>> x = np.linspace(-1, 1, 64, dtype="float32")[:, None]
>>> early = EarlyStopping("loss", patience=2, min_delta=1e-3)
>>> history = ng.nn.fit(
...     ng.nn.Dense(1),
...     (x, 3 * x + 1),
...     loss=ng.nn.metrics.mse,
...     epochs=500,
...     optimizer=lambda m: ng.optim.SGD(m, 0.3),
...     progress=False,
...     callbacks=[early],
... )
>>> len(history) < 500, history.stopped
(True, True)
"""

from nbgraph.foreign import missing
from nbgraph.nn.callbacks.callback import Callback as Callback
from nbgraph.nn.callbacks.callback import LambdaCallback as LambdaCallback
from nbgraph.nn.callbacks.logs import CSVLog as CSVLog
from nbgraph.nn.callbacks.logs import LivePlot as LivePlot
from nbgraph.nn.callbacks.logs import Speedometer as Speedometer
from nbgraph.nn.callbacks.logs import TensorBoard as TensorBoard
from nbgraph.nn.callbacks.rates import LearningRate as LearningRate
from nbgraph.nn.callbacks.rates import ReduceLROnPlateau as ReduceLROnPlateau
from nbgraph.nn.callbacks.saving import Checkpoint as Checkpoint
from nbgraph.nn.callbacks.stopping import EarlyStopping as EarlyStopping

__getattr__ = missing("ng.nn.callbacks", globals())
