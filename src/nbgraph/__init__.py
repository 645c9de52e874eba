"""nbgraph: plain Python scalar functions become fast, differentiable, certified operators.

import nbgraph as ng

@ng.op
def smooth_l1(x, *, sigma=1.0):
    s2 = sigma * sigma
    if x > 1 / s2:
        return x - 0.5 / s2
    if x < -1 / s2:
        return -x - 0.5 / s2
    return 0.5 * s2 * x * x

smooth_l1(array, sigma=2.0)           # NumPy in, NumPy out
smooth_l1.derivative("x")(array)      # again an operator
smooth_l1.explain()                   # what was made of it, and why

x = ng.array(data)                    # an array whose operators return before they have run
x.attach_grad()
with ng.autograd.record():
    loss = smooth_l1(x).sum()
loss.backward()                       # x.grad
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from nbgraph._version import __version__ as __version__

if TYPE_CHECKING:
    from nbgraph import autograd as autograd
    from nbgraph import engine as engine
    from nbgraph import resource as resource
    from nbgraph import storage as storage
    from nbgraph import xp as xp
    from nbgraph.array import NDArray as NDArray
    from nbgraph.array.create import array as array
    from nbgraph.array.create import asarray as asarray
    from nbgraph.array.dlpack import from_dlpack as from_dlpack
    from nbgraph.array.files import load as load
    from nbgraph.array.files import save as save
    from nbgraph.array.namespace import nd as nd
    from nbgraph.autograd.functional import grad as grad
    from nbgraph.autograd.functional import hessian as hessian
    from nbgraph.autograd.functional import jvp as jvp
    from nbgraph.autograd.functional import value_and_grad as value_and_grad
    from nbgraph.autograd.functional import vjp as vjp
    from nbgraph.codegen import cache as cache
    from nbgraph.device import Context as Context
    from nbgraph.device import RunContext as RunContext
    from nbgraph.device import cpu as cpu
    from nbgraph.device import gpu as gpu
    from nbgraph.engine.trace import profile as profile
    from nbgraph.errors import (
        ArgumentError as ArgumentError,
    )
    from nbgraph.errors import (
        CaptureError as CaptureError,
    )
    from nbgraph.errors import (
        CertificateError as CertificateError,
    )
    from nbgraph.errors import (
        CompileError as CompileError,
    )
    from nbgraph.errors import (
        DerivativeError as DerivativeError,
    )
    from nbgraph.errors import (
        DeviceError as DeviceError,
    )
    from nbgraph.errors import (
        DTypeError as DTypeError,
    )
    from nbgraph.errors import (
        EngineError as EngineError,
    )
    from nbgraph.errors import (
        EngineTimeout as EngineTimeout,
    )
    from nbgraph.errors import (
        IndexingError as IndexingError,
    )
    from nbgraph.errors import (
        NbgraphError as NbgraphError,
    )
    from nbgraph.errors import (
        OutOfMemory as OutOfMemory,
    )
    from nbgraph.errors import (
        ShapeError as ShapeError,
    )
    from nbgraph.errors import (
        StorageError as StorageError,
    )
    from nbgraph.operator.environment import EnvArguments as EnvArguments
    from nbgraph.operator.environment import OpContext as OpContext
    from nbgraph.operator.mapper import Mapper as Mapper
    from nbgraph.operator.mapper import op as op
    from nbgraph.operator.parameters import Param as Param
    from nbgraph.operator.parameters import field as field
    from nbgraph.operator.request import OpReqType as OpReqType
    from nbgraph.operator.request import assign as assign
    from nbgraph.operator.request import kAddTo as kAddTo
    from nbgraph.operator.request import kNullOp as kNullOp
    from nbgraph.operator.request import kWriteInplace as kWriteInplace
    from nbgraph.operator.request import kWriteTo as kWriteTo
    from nbgraph.operator.simple import Input0 as Input0
    from nbgraph.operator.simple import Input1 as Input1
    from nbgraph.operator.simple import OutputGrad as OutputGrad
    from nbgraph.operator.simple import OutputValue as OutputValue
    from nbgraph.operator.simple import SimpleOpInplaceOption as SimpleOpInplaceOption
    from nbgraph.operator.simple import TBlob as TBlob
    from nbgraph.operator.simple import dtype_switch as dtype_switch
    from nbgraph.operator.simple import kInplaceInOut as kInplaceInOut
    from nbgraph.operator.simple import kInplaceLhsOut as kInplaceLhsOut
    from nbgraph.operator.simple import kInplaceOutIn as kInplaceOutIn
    from nbgraph.operator.simple import kInplaceOutLhs as kInplaceOutLhs
    from nbgraph.operator.simple import kNoInplace as kNoInplace
    from nbgraph.operator.simple import register_simple_op as register_simple_op
    from nbgraph.ops import *  # noqa: F403
    from nbgraph.ops import random as random
    from nbgraph.resource.kinds import ResourceRequest as ResourceRequest
    from nbgraph.settings import config as config

    waitall = engine.wait_for_all

_ERRORS = (
    "ArgumentError CaptureError CertificateError CompileError DerivativeError DeviceError "
    "DTypeError EngineError EngineTimeout NbgraphError OutOfMemory ShapeError StorageError"
).split()
_REQUESTS = "OpReqType assign kNullOp kWriteTo kWriteInplace kAddTo".split()
_SIMPLE = (
    "register_simple_op TBlob OutputGrad OutputValue Input0 Input1 dtype_switch "
    "SimpleOpInplaceOption kNoInplace kInplaceInOut kInplaceOutIn kInplaceLhsOut kInplaceOutLhs"
).split()
_PLACES = {
    "op": "nbgraph.operator.mapper",
    "Mapper": "nbgraph.operator.mapper",
    "ResourceRequest": "nbgraph.resource.kinds",
    "config": "nbgraph.settings",
    "profile": "nbgraph.engine.trace",
    "NDArray": "nbgraph.array",
    **dict.fromkeys(["array", "asarray"], "nbgraph.array.create"),
    "from_dlpack": "nbgraph.array.dlpack",
    **dict.fromkeys(["load", "save"], "nbgraph.array.files"),
    "nd": "nbgraph.array.namespace",
    **dict.fromkeys(["Context", "RunContext", "cpu", "gpu"], "nbgraph.device"),
    **dict.fromkeys(_ERRORS, "nbgraph.errors"),
    **dict.fromkeys(["Param", "field"], "nbgraph.operator.parameters"),
    **dict.fromkeys(
        ["grad", "value_and_grad", "vjp", "jvp", "hessian"], "nbgraph.autograd.functional"
    ),
    **dict.fromkeys(["EnvArguments", "OpContext"], "nbgraph.operator.environment"),
    **dict.fromkeys(_REQUESTS, "nbgraph.operator.request"),
    **dict.fromkeys(_SIMPLE, "nbgraph.operator.simple"),
}
_MODULES = {
    "autograd": "nbgraph.autograd",
    "cache": "nbgraph.codegen.cache",
    "engine": "nbgraph.engine",
    "random": "nbgraph.ops.random",
    "resource": "nbgraph.resource",
    "storage": "nbgraph.storage",
    "xp": "nbgraph.xp",
}
_RENAMED = {"waitall": ("nbgraph.engine", "wait_for_all")}


def __getattr__(name: str) -> Any:
    """Names load when they are first used (PEP 562)."""
    if name in _MODULES:
        value: Any = importlib.import_module(_MODULES[name])
    elif name in _RENAMED:
        module, its_name = _RENAMED[name]
        value = getattr(importlib.import_module(module), its_name)
    elif name in _PLACES:
        value = getattr(importlib.import_module(_PLACES[name]), name)
    else:
        return _operator(name)
    globals()[name] = value
    return value


def _operator(name: str) -> Any:
    """A registered operator; what users register can be replaced and is looked up each time."""
    if name.startswith("_"):  # asked by import and display protocols
        raise AttributeError(f"module 'nbgraph' has no attribute {name!r}")
    registry = importlib.import_module("nbgraph.operator.registry")
    try:
        value = registry.find(name)
    except registry.ArgumentError:
        hint = registry.suggestion(name, __dir__())
        raise AttributeError(f"module 'nbgraph' has no attribute {name!r}; {hint}") from None
    if name in registry.library():
        globals()[name] = value
    return value


def __dir__() -> list[str]:
    registry = importlib.import_module("nbgraph.operator.registry")
    return sorted({*globals(), *_PLACES, *_MODULES, *_RENAMED, *registry.names()})


class _Package(ModuleType):
    """`ng.array` is the function, though a room has that name, too."""

    @property
    def array(self) -> Any:
        return importlib.import_module("nbgraph.array.create").array

    @array.setter
    def array(self, room: ModuleType) -> None:
        """The import system enters the room here; it is found by its full name."""


sys.modules[__name__].__class__ = _Package
