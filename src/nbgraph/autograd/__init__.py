"""Derivatives of what was computed: recording, backward passes, functional transformations."""

from nbgraph.autograd.entry import backward as backward
from nbgraph.autograd.entry import get_symbol as get_symbol
from nbgraph.autograd.entry import grad as grad
from nbgraph.autograd.entry import mark_variables as mark_variables
from nbgraph.autograd.function import Function as Function
from nbgraph.autograd.scope import is_recording as is_recording
from nbgraph.autograd.scope import is_training as is_training
from nbgraph.autograd.scope import pause as pause
from nbgraph.autograd.scope import predict_mode as predict_mode
from nbgraph.autograd.scope import record as record
from nbgraph.autograd.scope import train_mode as train_mode
from nbgraph.autograd.tape import TapeError as TapeError
from nbgraph.foreign import published

__dir__, __getattr__ = published("ng.autograd", globals())
