"""Modules: parameters and the operators that use them; `fit` trains them.

Nothing is computed here that `ng` has no operator for: modules put operators together.

>>> import nbgraph as ng
>>> net = ng.nn.Sequential(ng.nn.Dense(8, ng.tanh), ng.nn.Dense(1))
>>> net(ng.ones((4, 3))).shape
(4, 1)
"""

from nbgraph._listing import public_names
from nbgraph.foreign import missing
from nbgraph.io.arrays import Batches as Batches
from nbgraph.nn import callbacks as callbacks
from nbgraph.nn import metrics as metrics
from nbgraph.nn.attention import MultiHeadAttention as MultiHeadAttention
from nbgraph.nn.attention import TransformerBlock as TransformerBlock
from nbgraph.nn.attention import attend as attend
from nbgraph.nn.convolving import AvgPool as AvgPool
from nbgraph.nn.convolving import Conv1d as Conv1d
from nbgraph.nn.convolving import Conv2d as Conv2d
from nbgraph.nn.convolving import Conv3d as Conv3d
from nbgraph.nn.convolving import ConvTranspose1d as ConvTranspose1d
from nbgraph.nn.convolving import ConvTranspose2d as ConvTranspose2d
from nbgraph.nn.convolving import ConvTranspose3d as ConvTranspose3d
from nbgraph.nn.convolving import GlobalPool as GlobalPool
from nbgraph.nn.convolving import MaxPool as MaxPool
from nbgraph.nn.evaluation import evaluate as evaluate
from nbgraph.nn.evaluation import predict as predict
from nbgraph.nn.fitting import fit as fit
from nbgraph.nn.history import History as History
from nbgraph.nn.layers import Dense as Dense
from nbgraph.nn.layers import Dropout as Dropout
from nbgraph.nn.layers import Embedding as Embedding
from nbgraph.nn.layers import Flatten as Flatten
from nbgraph.nn.layers import Function as Function
from nbgraph.nn.layers import Sequential as Sequential
from nbgraph.nn.module import Module as Module
from nbgraph.nn.norms import BatchNorm as BatchNorm
from nbgraph.nn.norms import LayerNorm as LayerNorm
from nbgraph.nn.norms import RMSNorm as RMSNorm
from nbgraph.nn.recurrent import GRU as GRU
from nbgraph.nn.recurrent import LSTM as LSTM
from nbgraph.nn.recurrent import RNN as RNN
from nbgraph.nn.recurrent import Cell as Cell
from nbgraph.nn.recurrent import GRUCell as GRUCell
from nbgraph.nn.recurrent import LSTMCell as LSTMCell
from nbgraph.nn.recurrent import RNNCell as RNNCell
from nbgraph.nn.summary import summary as summary
from nbgraph.nn.training import Training as Training

__dir__ = public_names(globals(), "callbacks metrics Batches")
__getattr__ = missing("ng.nn", globals())
