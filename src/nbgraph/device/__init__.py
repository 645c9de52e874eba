"""Where work runs: contexts, what a running function knows of its device, and GPUs' drivers.

context   devices by type and number; what a pushed function is given
protocol  what is asked of a GPU, as a protocol
drivers   which driver there is, or why none; nothing of CUDA is loaded before it is asked for
nvidia    NVIDIA's driver, by its C library: no package is needed
emulated  devices in this process, for tests and for trying out
"""

from nbgraph.device.context import Context as Context
from nbgraph.device.context import RunContext as RunContext
from nbgraph.device.context import cpu as cpu
from nbgraph.device.context import gpu as gpu
from nbgraph.device.drivers import allocate as allocate
from nbgraph.device.drivers import driver as driver
from nbgraph.device.drivers import missing as missing
from nbgraph.device.drivers import num_gpus as num_gpus
from nbgraph.device.drivers import require as require
from nbgraph.device.drivers import room as room
from nbgraph.device.drivers import run_context as run_context
from nbgraph.device.drivers import trim as trim
