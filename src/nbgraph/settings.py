"""Settings: read from `NBGRAPH_*`, set by `ng.config.name = value`, or for a `with` block by
`with ng.config(name=value)`.

| setting         | meaning; the variable is NBGRAPH_ and the name in capitals |
|-----------------|------------------------------------------------------------|
| compiler        | compiler of new kernels: "llvm", which is fast; "numba",   |
|                 | the reference; "auto": LLVM if possible. Or "python": run  |
|                 | the user's Python code without compiling                   |
| cache_dir       | folder of compiled kernels; empty string: no disk cache    |
| cache_bytes     | size of the cache at which the oldest kernels are removed  |
| default_float   | dtype of created arrays, "float32" or "float64"            |
| parking         | how threads sleep: "auto", or "portable" for POSIX threads |
| engine          | initial engine: "naive", "threaded" or "chaos"             |
| engine_pending  | number of unfinished operations at which `push` blocks;    |
|                 | for engines that are created later                         |
| engine_bytes    | the same for the bytes that unfinished operations declare  |
| storage_limit   | most bytes for arrays of a device; 0: no limit             |
| storage_pool    | pooling of freed blocks: "rounded" to powers of two,       |
|                 | "naive": by exact size, "unpooled": none                   |
| storage_reserve | percent of the machine's memory that pools leave free      |
| fusion_limit    | most scalar operations in a fused loop; 0: no fusion       |
| stream_bytes    | least size of outputs that are written past the caches;    |
|                 | -1: half of the last cache, 0: never                       |
| temp_copies     | temporary spaces of a device, used in rotation             |
| watchdog        | seconds without progress after which a wait warns; 0: none |
| anomaly         | 1: check for a first NaN after every operator on arrays    |
|                 | and every node of an executor                              |
| eager_compile   | 1: graphs wait for their kernels, instead of running       |
|                 | unfused during compilation in the background               |
| gpu             | available GPUs: "auto", those of NVIDIA's driver;          |
|                 | "emulated": emulated in this process, for tests; "none".   |
|                 | Read at the first use of a GPU                             |
| tf32            | 1: products of float32 on GPUs may round their operands to |
|                 | 11 bits, for tensor cores; several times faster            |
| cuda_graphs     | 1: later plans on GPUs run as CUDA graphs from their       |
|                 | second run on; 0: they are launched kernel by kernel       |
| progress        | 0: no progress line for long compilations (otherwise in    |
|                 | terminals and notebooks)                                   |
| debug           | 1: errors include the compiler's messages, functions that  |
|                 | block a worker for long are named, and faulthandler shows  |
|                 | which pushed kernel crashed                                |

Machine code is generated for the host, or for the CPU of Numba's variables NUMBA_CPU_NAME and
NUMBA_CPU_FEATURES.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from nbgraph.scopes import Scopes

_CHOICES = {
    "compiler": ("auto", "llvm", "numba", "python"),
    "default_float": ("float32", "float64"),
    "engine": ("naive", "threaded", "chaos"),
    "gpu": ("auto", "emulated", "none"),
    "parking": ("auto", "portable"),
    "storage_pool": ("rounded", "naive", "unpooled"),
}
LARGEST = 2**63 - 1  # of int64, in compiled code
# least and greatest value; a greatest value of 0 stands for LARGEST
_RANGES: dict[str, tuple[int, int]] = {
    "engine_pending": (1, 0),
    "engine_bytes": (1, 0),
    "cache_bytes": (0, 0),
    "storage_limit": (0, 0),
    "storage_reserve": (0, 99),
    "fusion_limit": (0, 0),
    "stream_bytes": (-1, 0),
    "temp_copies": (1, 0),
    "watchdog": (0, 0),
    "eager_compile": (0, 1),
    "tf32": (0, 1),
    "cuda_graphs": (0, 1),
    "progress": (0, 1),
    "anomaly": (0, 1),
    "debug": (0, 1),
}
# settings that can no longer change, and what to do instead of setting them
_FIXED = {
    "cpu_name": "set NUMBA_CPU_NAME before nbgraph is imported",
    "parking": "set NBGRAPH_PARKING before nbgraph is imported",
    "cpu_features": "set NUMBA_CPU_FEATURES before nbgraph is imported",
}

# whether compiler="python" was ever set in this process: until then, calls need not check it
PYTHON_ASKED = [False]
# the same for compiler="python" or anomaly=1, which operators on arrays have to check
CLOSELY_ASKED = [False]
# the same for debug=1
DEBUG_ASKED = [False]


def _default_cache_dir() -> str:
    try:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:  # the user has no home directory, as in containers
        return ""
    return str(Path(base) / "nbgraph")


_variable_of = lambda name: f"NBGRAPH_{name.upper()}"


def _number(name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{_variable_of(name)}={text!r}; expected a whole number") from None


def read_for_good(name: str, remedy: str) -> None:
    """Fix a setting, which has had its effect: changing it raises an error with the remedy."""
    _FIXED[name] = remedy


@dataclass(frozen=True, slots=True)
class Settings:
    """The values of all settings; see the table of the module."""

    compiler: str = "auto"
    cache_dir: str = ""
    cache_bytes: int = 512 * 2**20
    default_float: str = "float32"
    engine: str = "threaded"
    engine_pending: int = 1 << 16
    engine_bytes: int = 4 << 30
    parking: str = "auto"
    storage_limit: int = 0
    storage_pool: str = "rounded"
    storage_reserve: int = 5
    fusion_limit: int = 256
    stream_bytes: int = -1
    temp_copies: int = 1
    watchdog: int = 30
    gpu: str = "auto"
    tf32: int = 0
    cuda_graphs: int = 1
    eager_compile: int = 0
    progress: int = 1
    anomaly: int = 0
    debug: int = 0
    cpu_name: str = ""
    cpu_features: str = ""

    def __post_init__(self) -> None:
        if type(self.cache_dir) is str and self.cache_dir.startswith("~"):
            object.__setattr__(self, "cache_dir", os.path.expanduser(self.cache_dir))  # noqa: PTH111

    def checked(self, label: Callable[[str], str] = "config: {}".format) -> Settings:
        """Return `self`; raise ValueError, with the setting's label, for a value not allowed."""
        if self.compiler == "python":
            PYTHON_ASKED[0] = True
        if self.compiler == "python" or self.anomaly:
            CLOSELY_ASKED[0] = True
        if self.debug:
            DEBUG_ASKED[0] = True
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            if not isinstance(value, int) or not least <= value <= (most or LARGEST):
                upto = f"to {most}" if most else f"or more, at most {LARGEST}"
                raise ValueError(f"{label(name)}={value!r}; expected {least} {upto}")
        for name, choices in _CHOICES.items():
            if (value := getattr(self, name)) not in choices:
                raise ValueError(f"{label(name)}={value!r}; expected one of {', '.join(choices)}")
        for name in ("cache_dir", "cpu_name", "cpu_features"):
            value = getattr(self, name)
            if type(value) is not str or "\0" in value:
                raise ValueError(f"{label(name)}={value!r}; expected a string without null bytes")
        return self

    @classmethod
    def from_environment(cls) -> Settings:
        """Read the variables `NBGRAPH_*`; others have their defaults."""
        values: dict[str, Any] = {
            "cache_dir": _default_cache_dir(),
            "cpu_name": os.environ.get("NUMBA_CPU_NAME", ""),
            "cpu_features": os.environ.get("NUMBA_CPU_FEATURES", ""),
        }
        for field in fields(cls):
            text = os.environ.get(_variable_of(field.name))
            if text is not None:
                number = isinstance(field.default, int)
                values[field.name] = _number(field.name, text) if number else text
        return cls(**values).checked(_variable_of)


_OTHERS = ("NBGRAPH_TEST_", "NBGRAPH_GPU_COUNT")  # variables that are not settings
_NAMES = dict.fromkeys(field.name for field in fields(Settings))


def _unknown(names: Iterable[str]) -> str:
    """Return an error message for the first name that is not a setting, or ""."""
    for name in names:
        if name not in _NAMES:
            import difflib

            near = difflib.get_close_matches(name, _NAMES, 1)
            meant = f"did you mean {near[0]!r}? " if near else ""
            return f"config: unknown setting {name!r}; {meant}known: {sorted(_NAMES)}"
    return ""


_variable = ContextVar("nbgraph_settings", default=Settings.from_environment())
_scopes = Scopes(_variable)


class _Override:
    """The context manager of `config(...)`, which changes settings in the current context."""

    def __init__(self, changes: dict[str, Any]) -> None:
        self._changes = changes

    def __enter__(self) -> Settings:
        value = replace(_variable.get(), **self._changes)
        _scopes.begin((value,))
        return value

    __exit__ = _scopes.end


class Config:
    """`ng.config`, the settings as attributes. Setting one applies to all threads until the process
    ends; a `with` block overrides settings in its own context.

    The table of `nbgraph.settings` (`help("nbgraph.settings")`) explains the settings, and
    `ng.config.current` has all values. The initial values are read from variables, NBGRAPH_ and
    the name in capitals, when nbgraph is imported. A call raises TypeError for an unknown setting
    and ValueError for a value that is not allowed. Setting an attribute raises AttributeError if it
    is unknown, or if a new value would have no effect: because the setting was used already, or
    within a `with` block, which has its own values.

    >>> import nbgraph as ng
    >>> ng.config.default_float
    'float32'
    >>> with ng.config(compiler="python"):
    ...     ng.config.compiler
    'python'
    >>> ng.config.default_float = "float64"
    >>> ng.zeros(1).dtype
    dtype('float64')
    >>> ng.config.default_float = "float32"
    """

    variable: ContextVar[Settings]
    _session: Settings

    def __init__(self) -> None:
        self.__dict__["_session"] = _variable.get()
        self.__dict__["variable"] = _variable

    def __call__(self, **changes: object) -> _Override:
        """Return a context manager that changes settings; check names and values immediately."""
        if problem := _unknown(changes):
            raise TypeError(problem)
        # raise an error for a bad value here, not at `with`
        replace(self.current, **changes).checked()  # pyright: ignore[reportArgumentType]
        return _Override(changes)

    def __setattr__(self, name: str, value: Any) -> None:
        if problem := _unknown([name]):
            raise AttributeError(problem)
        value = getattr(replace(self._session, **{name: value}).checked(), name)
        if name in _FIXED and value != getattr(self._session, name):
            raise AttributeError(
                f"config: {name}={value!r} would have no effect, as {name} has been read; "
                f"{_FIXED[name]}"
            )
        if self.variable.get() is not self._session:
            raise AttributeError(
                f"config: {name}={value!r} is set within a block of ng.config(...), which has "
                "values of its own; set it outside, or give it to the block"
            )
        # in place, as all contexts and threads share this object
        object.__setattr__(self._session, name, value)

    @property
    def current(self) -> Settings:
        """A copy of the settings of this context."""
        return replace(self.variable.get())

    def __getattr__(self, name: str) -> Any:
        if name in _NAMES:
            return getattr(self.variable.get(), name)
        raise AttributeError(name if name.startswith("_") else _unknown([name]))

    def __reduce__(self) -> str:
        return "config"  # unpickled as the object of the other process

    def __repr__(self) -> str:
        return f"config({self.variable.get()})"


config = Config()
for _name in os.environ:
    if _name.startswith("NBGRAPH_") and not _name.startswith(_OTHERS):
        if _problem := _unknown([_name[len("NBGRAPH_") :].lower()]):
            warnings.warn(f"environment: {_name} has no effect; {_problem}", RuntimeWarning, 2)


def looks_closely() -> bool:
    """Return whether operators run as Python, or results are checked for NaN, in this context."""
    return CLOSELY_ASKED[0] and (config.compiler == "python" or bool(config.anomaly))
