"""Devices: contexts, run contexts of running functions, and drivers of GPUs."""

import sys
from types import ModuleType
from typing import Any, Never

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
from nbgraph.errors import ArgumentError


class _Room(ModuleType):
    def __call__(self, *device: Any, **options: Any) -> Never:
        raise ArgumentError("ng.device is a module; devices are ng.cpu() and ng.gpu(0)")


sys.modules[__name__].__class__ = _Room
