"""Where work runs: contexts, and what a running function is told of its device."""

from nbgraph.device.context import Context as Context
from nbgraph.device.context import RunContext as RunContext
from nbgraph.device.context import cpu as cpu
from nbgraph.device.context import gpu as gpu
from nbgraph.device.context import missing as missing
from nbgraph.device.context import run_context as run_context
