"""Interim forms of compiled graphs, which run while kernels are compiled in the background.

A graph whose fused kernels are neither in memory nor on disk, and would take long to compile, runs
without fusing those loops: the kernels of single operators are often available. The fused ones are
compiled in the background, and programs change over between two runs.

Both forms give the same bits, so the moment of the change does not matter. Loops without reductions
give those of their operators by construction; loops that end in reductions sum in another order, so
they stay fused, and callers wait for them.
"""

import warnings
from collections.abc import Sequence

from nbgraph.codegen.making import background, progress
from nbgraph.engine import current
from nbgraph.executor.compiled import Compiled
from nbgraph.graph.passes.fuse import explain_fusion
from nbgraph.kernels.compiler.kernel import Kernel
from nbgraph.kernels.loops.cost import compile_seconds
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.settings import config

WORTH = 0.25  # seconds of compilation from which an interim form is worth while
_MORE_BYTES = 256 << 20  # bytes by which its memory may exceed the plan's


class Interim:
    """A compiled graph in the place of another one, until the job is over.

    `loops`: the number of loops of the other one that are not fused in it. `reported`: whether the
    user was warned that the job has failed.
    """

    __slots__ = ("compiled", "job", "loops", "reported")

    def __init__(self, compiled: Compiled, job: background.Job, loops: int) -> None:
        self.compiled, self.job, self.loops = compiled, job, loops
        self.reported = False

    def over(self) -> bool:
        """Return whether the kernels are compiled."""
        return self.job.look() and self.job.error is None


def runnable_form(compiled: Compiled, *, wait: bool = False) -> Compiled:
    """Return the form of a compiled graph to run: itself, or unless `wait` its interim form."""
    if compiled.loaded or not compiled.device.host:  # devices compile what they launch
        return compiled
    wait = wait or bool(config.eager_compile)
    interim: Interim | None = compiled.substitute
    if interim is not None and not wait and not interim.over():
        return interim.compiled
    with compiled.deciding:
        if compiled.substitute is None and not wait and not compiled.loaded:
            interim = compiled.substitute = _interim(compiled)
            if interim is not None:
                return interim.compiled
        load(compiled)
        compiled.substitute = None
    return compiled


def interim_description(compiled: Compiled) -> str:
    """Return a description of the interim form of a compiled graph."""
    interim: Interim | None = compiled.substitute
    if interim is None or interim.over():
        return "in the interim form, until the next run"
    noun = "loop" if interim.loops == 1 else "loops"
    why = "is compiled in the background"
    if interim.job.error is not None:
        why = f"could not be compiled: {interim.job.error}"
    return f"in the interim, {interim.loops} {noun} operator by operator; the fused form {why}"


def warn_of_failure(compiled: Compiled) -> None:
    """Warn, once, if compilation in the background has failed."""
    interim: Interim | None = compiled.substitute
    if interim is None or interim.reported or interim.job.error is None:
        return
    interim.reported = True
    warnings.warn(
        f"{interim.job.name}: could not be compiled in the background, so operators go on running "
        f"one by one: {interim.job.error}. ng.compile_report() has it",
        RuntimeWarning,
        stacklevel=5,
    )


def load(compiled: Compiled) -> None:
    """Load or compile all kernels, while a caller waits for them."""
    absent = compiled.absent()
    if absent:
        with progress.waiting(absent[0].name, len(absent)):
            for kernel in absent:
                kernel.load()
    compiled.loaded = True


def _interim(compiled: Compiled) -> Interim | None:
    """Return an interim form, ready to run, after submitting the compile job; None if useless."""
    absent = compiled.absent()
    seconds = _seconds(absent)
    if seconds < WORTH or current().repeatable:
        return None
    stage = next((s for s in compiled.stages if s.name == "fuse"), None)
    if stage is None:
        return None
    codes, calls = set(absent), zip(compiled.tasks, compiled.calls, strict=True)
    names = {task.name for task, call in calls if call is not None and call.code in codes}
    loose = {  # members of the loops without reductions whose kernels are absent
        loop.members
        for loop in explain_fusion(stage.after).loops
        if isinstance(loop.node.op, Mapper) and compiled.lowering.names.get(loop.node) in names
    }
    if not loose:
        return None
    own = compiled.source, compiled.layouts, compiled.requests, compiled.options, compiled.device
    substitute = Compiled(*own, loose)
    if substitute.memory.arena_bytes > compiled.memory.arena_bytes + _MORE_BYTES:
        return None
    if _seconds(substitute.absent()) > seconds / 2:
        return None
    load(substitute)
    missing = [kernel for kernel in absent if not kernel.at_hand()]
    job = background.Job(", ".join(k.name for k in missing), [k.load for k in missing])
    background.submit(job)
    return Interim(substitute, job, len(loose))


def _seconds(kernels: Sequence[Kernel]) -> float:
    return sum(compile_seconds(kernel.loop, kernel.compiler) for kernel in kernels)
