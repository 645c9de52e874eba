"""Optimizers: steps that change parameters in place, by their gradients; and what goes with them.

>>> import nbgraph as ng
>>> w = ng.array([3.0, -2.0])
>>> w.attach_grad()
>>> opt = ng.optim.Adam({"w": w}, lr=0.1)
>>> for _ in range(200):
...     with ng.autograd.record():
...         loss = ((w - ng.array([1.0, 1.0])) ** 2).sum()
...     loss.backward()
...     opt.step()  # returns before it is done
>>> bool((abs(w - 1.0) < 0.01).all())
True
"""

from nbgraph._listing import bring
from nbgraph.foreign import published
from nbgraph.optim import schedules as schedules

_PLACES = """
adaptive Adadelta Adagrad Ftrl RMSProp
clipping clip_by_norm clip_by_value global_norm
descent LARS NAG SGD SGLD Lion Signum
files load save
moments FTML LAMB AdaBelief Adam Adamax AdamW RAdam
optimizer Optimizer
scaling LossScaler
smoothing Smoothing
trainer Trainer
training TrainStep train_step
"""
bring(globals(), _PLACES)

__dir__, __getattr__ = published("ng.optim", globals(), "schedules")
