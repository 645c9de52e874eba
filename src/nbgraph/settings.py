"""Settings: read from `NBGRAPH_*`, set by `ng.config.name = value`, or for a `with` block by
`with ng.config(name=value)`.

| setting         | meaning; the variable is NBGRAPH_ and the name in capitals |
|-----------------|------------------------------------------------------------|
| compiler        | who compiles new kernels: "llvm", the quick one; "numba",  |
|                 | the reference; "auto": LLVM where it can. Or "python": run |
|                 | the user's text itself                                     |
| cache_dir       | folder of compiled kernels; empty string: no disk cache    |
| cache_bytes     | size at which the oldest kernels are dropped               |
| default_float   | dtype of created arrays, "float32" or "float64"            |
| parking         | how threads sleep: "auto", or "portable" for POSIX threads |
| engine          | "naive", "threaded" or "chaos": the one used at first      |
| engine_pending  | unfinished operations at which pushers are held back, of   |
|                 | engines that are made from then on                         |
| engine_bytes    | the same of the bytes that unfinished operations declare   |
| storage_limit   | bytes that arrays of a device may have; 0: all there are   |
| storage_pool    | how blocks are kept for reuse: "rounded" to powers of two, |
|                 | "naive": by their own sizes, "unpooled": not at all        |
| storage_reserve | percent of the machine's memory that pools leave free      |
| fusion_limit    | scalar operations that a graph puts in one loop; 0: none   |
| stream_bytes    | size of outputs from which on they are written past the   |
|                 | caches; -1: half of the last cache, 0: never               |
| temp_copies     | temporary spaces of a device, taken in turn                |
| watchdog        | seconds without progress after which a wait warns; 0: none |
| anomaly         | 1: after every operator on arrays, and every node of an    |
|                 | executor, look for a first NaN                             |
| eager_compile   | 1: no graph runs unfused while its kernels are compiled    |
|                 | in the background                                          |
| gpu             | which GPUs there are: "auto", those of NVIDIA's driver;    |
|                 | "emulated": some in this process, to try what has none;    |
|                 | "none". Looked at when a GPU is first asked for            |
| tf32            | 1: products of float32 on GPUs may round their operands to |
|                 | 11 bits, as tensor cores do; several times quicker         |
| cuda_graphs     | 0: plans on GPUs that are made now are always issued       |
|                 | kernel by kernel; 1: as CUDA graphs from their second run  |
| progress        | 0: no line about long compilations (else in terminals and  |
|                 | notebooks)                                                 |
| debug           | 1: compilers' own texts are shown with errors, functions   |
|                 | that hold a worker for long are named, and faulthandler    |
|                 | shows which pushed kernel crashed                          |

Machine code is made for the host, or for what Numba's own variables NUMBA_CPU_NAME and
NUMBA_CPU_FEATURES say.
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
LARGEST = 2**63 - 1  # compiled code has no larger numbers
# the least and the most; 0: the largest
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
# settings that were read for good, and what to do instead of setting them
_READ = {
    "cpu_name": "set NUMBA_CPU_NAME before nbgraph is imported",
    "parking": "set NBGRAPH_PARKING before nbgraph is imported",
    "cpu_features": "set NUMBA_CPU_FEATURES before nbgraph is imported",
}

# whether compiler="python" was ever asked for in this process: until then no call need look
PYTHON_ASKED = [False]
# the same of either, or of anomaly=1: operators on arrays have to look closely
CLOSELY_ASKED = [False]
# the same of debug=1
DEBUG_ASKED = [False]


def _default_cache_dir() -> str:
    try:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:  # a user whom the system does not know, as in containers
        return ""
    return str(Path(base) / "nbgraph")


_variable_of = lambda name: f"NBGRAPH_{name.upper()}"


def _number(name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{_variable_of(name)}={text!r}; expected a whole number") from None


def read_for_good(name: str, remedy: str) -> None:
    """The setting has had its effect: from now on setting it raises, and says the remedy."""
    _READ[name] = remedy


@dataclass(frozen=True, slots=True)
class Settings:
    """The values in force; see the module's table."""

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
        """Itself, if every value is allowed; else a ValueError with the label of the setting."""
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
        """Read `NBGRAPH_*`; what is not set keeps its default."""
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
    """What is wrong with names of which some are not settings; empty where all are."""
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
    """The context manager of `config(...)`: in force between enter and exit, per context."""

    def __init__(self, changes: dict[str, Any]) -> None:
        self._changes = changes

    def __enter__(self) -> Settings:
        value = replace(_variable.get(), **self._changes)
        _scopes.begin((value,))
        return value

    __exit__ = _scopes.end


class Config:
    """`ng.config`: settings as attributes. Set, one holds in all threads until the process ends;
    overridden with a `with` block, in the block's context.

    What settings there are, and what they mean, stands in the table of `nbgraph.settings`
    (`help("nbgraph.settings")`); `ng.config.current` has all values. Each is read from a variable
    NBGRAPH_ and its name in capitals when nbgraph is imported. TypeError for an unknown
    setting in a call, ValueError for a value that is not allowed, AttributeError for an unknown
    attribute and where another value would have no effect: it has been read for good, or is set
    within a `with` block, which has values of its own.

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
        """Changes for a `with` block; a bad name or value is refused at once."""
        if problem := _unknown(changes):
            raise TypeError(problem)
        # a bad value is refused here, not at `with`
        replace(self.current, **changes).checked()  # pyright: ignore[reportArgumentType]
        return _Override(changes)

    def __setattr__(self, name: str, value: Any) -> None:
        if problem := _unknown([name]):
            raise AttributeError(problem)
        value = getattr(replace(self._session, **{name: value}).checked(), name)
        if name in _READ and value != getattr(self._session, name):
            raise AttributeError(
                f"config: {name}={value!r} would have no effect, as {name} has been read; "
                f"{_READ[name]}"
            )
        if self.variable.get() is not self._session:
            raise AttributeError(
                f"config: {name}={value!r} is set within a block of ng.config(...), which has "
                "values of its own; set it outside, or give it to the block"
            )
        # in place, as contexts and threads have this very object
        object.__setattr__(self._session, name, value)

    @property
    def current(self) -> Settings:
        """The settings in force in this context, as they are now."""
        return replace(self.variable.get())

    def __getattr__(self, name: str) -> Any:
        if name in _NAMES:
            return getattr(self.variable.get(), name)
        raise AttributeError(name if name.startswith("_") else _unknown([name]))

    def __reduce__(self) -> str:
        return "config"  # the one of its process

    def __repr__(self) -> str:
        return f"config({self.variable.get()})"


config = Config()
for _name in os.environ:
    if _name.startswith("NBGRAPH_") and not _name.startswith(_OTHERS):
        if _problem := _unknown([_name[len("NBGRAPH_") :].lower()]):
            warnings.warn(f"environment: {_name} has no effect; {_problem}", RuntimeWarning, 2)


def looks_closely() -> bool:
    """Return whether operators run as written, or each result is looked at, in this context."""
    return CLOSELY_ASKED[0] and (config.compiler == "python" or bool(config.anomaly))
