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

from nbgraph._listing import public_names
from nbgraph.foreign import missing
from nbgraph.optim import schedules as schedules
from nbgraph.optim.adaptive import Adadelta as Adadelta
from nbgraph.optim.adaptive import Adagrad as Adagrad
from nbgraph.optim.adaptive import Ftrl as Ftrl
from nbgraph.optim.adaptive import RMSProp as RMSProp
from nbgraph.optim.clipping import clip_by_norm as clip_by_norm
from nbgraph.optim.clipping import clip_by_value as clip_by_value
from nbgraph.optim.clipping import global_norm as global_norm
from nbgraph.optim.descent import LARS as LARS
from nbgraph.optim.descent import NAG as NAG
from nbgraph.optim.descent import SGD as SGD
from nbgraph.optim.descent import SGLD as SGLD
from nbgraph.optim.descent import Lion as Lion
from nbgraph.optim.descent import Signum as Signum
from nbgraph.optim.files import load as load
from nbgraph.optim.files import save as save
from nbgraph.optim.moments import FTML as FTML
from nbgraph.optim.moments import LAMB as LAMB
from nbgraph.optim.moments import AdaBelief as AdaBelief
from nbgraph.optim.moments import Adam as Adam
from nbgraph.optim.moments import Adamax as Adamax
from nbgraph.optim.moments import AdamW as AdamW
from nbgraph.optim.moments import RAdam as RAdam
from nbgraph.optim.optimizer import Optimizer as Optimizer
from nbgraph.optim.scaling import LossScaler as LossScaler
from nbgraph.optim.smoothing import Smoothing as Smoothing
from nbgraph.optim.trainer import Trainer as Trainer
from nbgraph.optim.training import TrainStep as TrainStep
from nbgraph.optim.training import train_step as train_step

__dir__ = public_names(globals(), "schedules")
__getattr__ = missing("ng.optim", globals())
