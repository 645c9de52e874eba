"""Modules: parameters and the operators that use them; `fit` trains them.

Modules only combine operators of `ng`; they compute nothing themselves.

>>> import nbgraph as ng
>>> net = ng.nn.Sequential(ng.nn.Dense(8, ng.tanh), ng.nn.Dense(1))
>>> net(ng.ones((4, 3))).shape
(4, 1)
"""

from nbgraph._listing import bring
from nbgraph.foreign import published
from nbgraph.io.arrays import Batches as Batches
from nbgraph.nn import callbacks as callbacks
from nbgraph.nn import metrics as metrics

_PLACES = """
attention MultiHeadAttention TransformerBlock attend
convolving AvgPool Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d GlobalPool
convolving MaxPool Upsample
evaluation evaluate predict
fitting fit
history History
layers Dense Dropout Dropout2d Embedding Flatten Function PReLU Sequential
module Module
norms BatchNorm GroupNorm InstanceNorm LayerNorm RMSNorm
recurrent GRU LSTM RNN Cell GRUCell LSTMCell RNNCell
summary summary
training Training
"""
bring(globals(), _PLACES)

__dir__, __getattr__ = published("ng.nn", globals(), "callbacks metrics Batches")
