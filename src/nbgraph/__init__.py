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
smooth_l1.explain()                   # a report on the generated code

x = ng.array(data)                    # an array whose operators return before they have run
x.attach_grad()
with ng.autograd.record():
    loss = smooth_l1(x).sum()
loss.backward()                       # x.grad

loss = ng.sum(smooth_l1(ng.var("x"))) # a graph: bound once, one fused program forward and backward
exe = loss.simple_bind(x=(1000,))
exe.forward_backward(x=data)          # exe.outputs, exe.grad_dict["x"]
"""

import importlib
import sys
from types import ModuleType
from typing import Any

from nbgraph._version import __version__ as __version__
from nbgraph.scopes import attend as _attend
from nbgraph.scopes import load as _load

# The module of each public name; scripts/stubs.py generates the stub for editors from these.
_ERRORS = (
    "ArgumentError AxisError CaptureError CertificateError CompileError DataError DerivativeError "
    "DerivativeWarning DeviceError DTypeError EngineError EngineTimeout FormatError IndexingError "
    "NbgraphError OutOfMemory ShapeError StorageError"
).split()
_REQUESTS = "OpReqType assign kNullOp kWriteTo kWriteInplace kAddTo".split()
_SIMPLE = (
    "register_simple_op TBlob OutputGrad OutputValue Input0 Input1 dtype_switch "
    "SimpleOpInplaceOption kNoInplace kInplaceInOut kInplaceOutIn kInplaceLhsOut kInplaceOutLhs"
).split()
_NUMPY = (  # NumPy's constants and dtypes
    "pi e inf nan newaxis bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 "
    "float64 complex64 complex128"
).split()
_FULL = ["Operator", "OperatorProperty", "register_operator"]
_TRANSFORMS = (
    "vmap scan cond jacobian hessian while_loop fori_loop switch associative_scan jacrev jacfwd "
    "hvp linearize custom_vjp custom_jvp eval_shape pure_callback ravel_pytree"
).split()
_PLACES = {
    "op": "nbgraph.operator.mapper.decorator",
    "row_op": "nbgraph.ops.rowwise.function",
    "Mapper": "nbgraph.operator.mapper.mapper",
    "ResourceRequest": "nbgraph.resource.manager",
    "thread_kernel": "nbgraph.kernels.compiler.handwritten",
    "compile_report": "nbgraph.codegen.making.report",
    "config": "nbgraph.settings",
    "profile": "nbgraph.engine.profiling.trace",
    "NDArray": "nbgraph.array",
    **dict.fromkeys(_NUMPY, "numpy"),
    **dict.fromkeys(["array", "asarray"], "nbgraph.array.create"),
    "from_dlpack": "nbgraph.array.dlpack",
    **dict.fromkeys(["load", "save"], "nbgraph.array.files"),
    "nd": "nbgraph.array.namespace",
    **dict.fromkeys(["Context", "RunContext", "cpu", "gpu", "num_gpus"], "nbgraph.device"),
    **dict.fromkeys(_ERRORS, "nbgraph.errors"),
    **dict.fromkeys(["Param", "field"], "nbgraph.operator.parameters"),
    **dict.fromkeys(["grad", "value_and_grad"], "nbgraph.autograd.functional"),
    **dict.fromkeys(["vjp", "jvp"], "nbgraph.autograd.linear"),
    "jit": "nbgraph.autograd.jit",
    **dict.fromkeys(["to_jax", "to_torch"], "nbgraph.bridges"),
    **dict.fromkeys(_TRANSFORMS, "nbgraph.autograd.transforms"),
    **dict.fromkeys(["Symbol", "var"], "nbgraph.graph.symbol"),
    **dict.fromkeys(["load_json", "load_symbol"], "nbgraph.graph.loading"),
    **dict.fromkeys(["name_scope", "attribute_scope", "AttrScope"], "nbgraph.graph.naming"),
    "sym": "nbgraph.graph.namespace",
    "print_summary": "nbgraph.viz.summary",
    "Executor": "nbgraph.executor.executor",
    **dict.fromkeys(["EnvArguments", "OpContext"], "nbgraph.operator.environment"),
    **dict.fromkeys(_REQUESTS, "nbgraph.operator.request"),
    **dict.fromkeys(_SIMPLE, "nbgraph.operator.simple"),
    **dict.fromkeys(_FULL, "nbgraph.operator.full"),
    "ExpressionGraph": "nbgraph.nodes.graph",
    **dict.fromkeys(["Expr", "expression"], "nbgraph.nodes.expr"),
    **dict.fromkeys(["NaryNodeOp", "UnaryNodeOp"], "nbgraph.nodes.node"),
    "NodeOp": "nbgraph.nodes.nodeop",
}
_MODULES = {
    "autograd": "nbgraph.autograd",
    "cache": "nbgraph.codegen.cache",
    "engine": "nbgraph.engine",
    "executor": "nbgraph.executor",
    "fft": "nbgraph.ops.fft",
    "io": "nbgraph.io",
    "linalg": "nbgraph.ops.linalg",
    "kv": "nbgraph.kvstore",
    "nodes": "nbgraph.nodes",
    "nn": "nbgraph.nn",
    "optim": "nbgraph.optim",
    "optimize": "nbgraph.optimize",
    "init": "nbgraph.ops.draws.initial",
    "random": "nbgraph.ops.draws.random",
    "resource": "nbgraph.resource",
    "storage": "nbgraph.storage",
    "transforms": "nbgraph.autograd.transforms",
    "viz": "nbgraph.viz",
    "xp": "nbgraph.xp",
}
# functions of shapes, dtypes and sizes, whose results are NumPy's
_OF_NUMBERS = frozenset(
    "broadcast_shapes diag_indices indices isdtype isscalar issubdtype mask_indices promote_types "
    "tril_indices triu_indices bartlett blackman hamming hanning kaiser".split()
)
_ROOMS = frozenset(("graph", "kernels", "operator", "ops", "parsing", "picture"))
_RENAMED = {
    "waitall": ("nbgraph.engine", "wait_for_all"),
    "Group": ("nbgraph.graph.symbol", "group"),
    "errors": ("nbgraph", "errors"),
}
# public names that `dir` does not list, such as errors (in `ng.errors`) and MXNet's synonyms
_UNLISTED = frozenset(
    (
        *(*_ERRORS, *_REQUESTS, *_SIMPLE[1:], *_TRANSFORMS[4:]),
        *_NUMPY,
        *("to_jax", "to_torch", "load_json", "AttrScope", "Group", "waitall", "transforms"),
    )
)


def __getattr__(name: str) -> Any:
    """Load a public name at its first use (PEP 562)."""
    if name in _MODULES:
        value: Any = _load(_MODULES[name])
    elif name in _RENAMED:
        module, its_name = _RENAMED[name]
        value = getattr(_load(module), its_name)
    elif name in _PLACES:
        value = getattr(_load(_PLACES[name]), name)
    elif name in _ROOMS:  # `from nbgraph import ops` calls this first
        value = _load(f"nbgraph.{name}")
    else:
        return _operator(name)
    globals()[name] = value
    return value


def _operator(name: str) -> Any:
    """Return a registered operator; the registry deletes the attribute if the name is replaced."""
    if name.startswith("_"):  # looked up by import and display protocols
        raise AttributeError(f"module 'nbgraph' has no attribute {name!r}")
    registry = _load("nbgraph.operator.registry")
    numpy = _load("numpy")
    if not registry.is_public(name) and hasattr(numpy, name):
        table = _load("nbgraph.ops.dispatch.table")
        if name in _OF_NUMBERS or name in table.functions("numpy"):
            # NumPy dispatches to our arrays
            return globals().setdefault(name, getattr(numpy, name))
    try:
        value = registry.public(name).op
    except registry.ArgumentError:
        hint = registry.suggestion(name, {*_PLACES, *_MODULES, *_RENAMED, *registry.names()})
        error = _load("nbgraph.errors").MissingName
        raise error(f"module 'nbgraph' has no attribute {name!r}; {hint}", name=name) from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List nouns, and operators by NumPy's names; `nd` lists the names of other libraries."""
    registry = _load("nbgraph.operator.registry")
    nouns = {"__version__", *_PLACES, *_MODULES, *_RENAMED} - _UNLISTED
    return sorted(nouns.union(registry.listed()))


class _Package(ModuleType):
    """The class of the package, in which `ng.array` is the function, not the subpackage."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute, except for the import system's `array`, the subpackage."""
        if name != "array" or not isinstance(value, ModuleType):
            super().__setattr__(name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return importlib.import_module, (__name__,)  # loky, Dask and Ray pickle modules by class


sys.modules[__name__].__class__ = _Package

# NumPy, whose import cannot be repeated after an interrupt, and the modules that every first call
# needs; other names load at their first use
_attend(_load, "numpy")
_load("nbgraph.kernels.function.scalar_function")
_load("nbgraph.settings")
if "IPython" in sys.modules:
    _load("nbgraph.notebook").attend()
