"""GPU kernels in memory: compiled once per content, kept in the disk cache.

Like `nbgraph.kernels.compiler.kernel`, but the cached code is PTX, which is generated without a
device; the device's driver compiles it to machine code.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict

from nbgraph.codegen import cache
from nbgraph.codegen.making.events import compiling
from nbgraph.kernels.compiler.kernel import MAX_KERNELS
from nbgraph.kernels.cuda import compile as compiled
from nbgraph.kernels.cuda.emit import emit
from nbgraph.kernels.cuda.grid import Grid
from nbgraph.kernels.loops.loop import Loop
from nbgraph.kernels.loops.writer import Source
from nbgraph.scopes import attend

_KERNELS: OrderedDict[str, DeviceKernel] = OrderedDict()
_LOCK = threading.RLock()


class DeviceKernel:
    """A kernel for GPUs of a compute capability and above.

    It takes the argument record, of `form.words` 64-bit words, by value, and runs in blocks of
    `form.threads`. `name` is its entry in `ptx`, which is generated, or loaded from disk, at first
    use; `label` is its name in reports.
    """

    __slots__ = (*("_making", "_ptx"), *("capability", "form", "key", "label", "name", "source"))

    def __init__(
        self, source: Source, form: compiled.Form, capability: tuple[int, int], key: str, label: str
    ) -> None:
        self.form, self.capability = form, capability
        self.source, self.key, self.label = source, key, label
        self.name = compiled.entry_name(source)
        self._ptx: str | None = None
        self._making = threading.Lock()

    @property
    def ptx(self) -> str:
        """The device text; raises CompileError if it does not compile."""
        self.load()
        assert self._ptx is not None
        return self._ptx

    def load(self) -> None:
        """Generate or load the PTX."""
        if self._ptx is None:
            attend(self._load)

    def _load(self) -> None:
        with self._making:
            self._ptx = self._ptx or self._generate()

    def _generate(self) -> str:
        with compiling(self.label, "ptx") as note:
            entry = cache.load(self.key)
            if entry is None:
                started = time.perf_counter()
                text = compiled.ptx(self.source, self.form, self.capability)
                seconds = time.perf_counter() - started
                entry = cache.Entry(text.encode(), (), seconds, "compiled")
                cache.store(self.key, entry)
            note(entry.origin, len(entry.code))
            return entry.code.decode()


def device_kernel(loop: Loop, grid: Grid, capability: tuple[int, int]) -> DeviceKernel:
    """Return the kernel of a loop for a grid, with its PTX; kernels of equal content are shared.

    Raises CompileError for what cannot be compiled for a GPU.
    """
    source, form = emit(loop, grid), compiled.form_of(loop, grid)
    return kernel_of(source, form, capability, loop.name)


def kernel_of(
    source: Source, form: compiled.Form, capability: tuple[int, int], label: str
) -> DeviceKernel:
    """Return the kernel of an emitted text; see `device_kernel`."""
    key = compiled.content_key(source, form, capability)
    with _LOCK:
        kernel = _KERNELS.get(key)
        if kernel is None:
            kernel = _KERNELS[key] = DeviceKernel(source, form, capability, key, label)
            while len(_KERNELS) > MAX_KERNELS:
                _KERNELS.popitem(last=False)
        else:
            _KERNELS.move_to_end(key)
    kernel.load()
    return kernel
