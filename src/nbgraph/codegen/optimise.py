"""Optimised modules from LLVM text, without Numba."""

from typing import Any

import llvmlite.binding as llvm
from llvmlite.binding.newpassmanagers import NewPassManager

from nbgraph.codegen import instructions, target
from nbgraph.errors import CompileError


def optimised(text: str, what: str, *, loops: bool = True, level: int = 3) -> llvm.ModuleRef:
    """Return the module of `text`, optimised for the host; `what` names it in errors.

    `loops`: whether to vectorise and unroll loops, the longest passes, which a text with vectors
    does not need. At `level` 0 nothing is optimised; at 1 each of a few passes runs once.
    """
    opened = instructions.left_open(text)
    machine = target.machine(level)
    module = parsed(instructions.declared(text) if opened else text, what)
    # without these LLVM assumes no native integers, and default alignments
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=level if loops else min(level, 1))
    if not loops:
        options.loop_vectorization = options.loop_unrolling = False
    if level == 1:
        _run(_passes_once(), module, llvm.create_pass_builder(machine, options))
    else:
        run_passes(module, machine, options)
    if opened:
        _close(module, machine, options)
    return module


def _close(
    module: llvm.ModuleRef, machine: llvm.TargetMachine, options: llvm.PipelineTuningOptions
) -> None:
    """Define the functions of instructions and inline them."""
    text = instructions.defined(f.name for f in module.functions if f.is_declaration)
    module.link_in(llvm.parse_assembly(text, module._context))
    module.get_global_variable(instructions.KEPT).linkage = llvm.Linkage.internal
    builder = llvm.create_pass_builder(machine, options)
    inliner = llvm.create_new_module_pass_manager()
    inliner.add_always_inliner_pass()
    inliner.add_instruction_combine_pass()
    inliner.add_global_dead_code_eliminate_pass()
    _run(inliner, module, builder)


def _passes_once() -> Any:
    """Return passes that put variables into registers and combine instructions."""
    passes = llvm.create_new_module_pass_manager()
    for name in ("simplify_cfg", "sroa", "simplify_cfg", "instruction_combine", "new_gvn"):
        getattr(passes, f"add_{name}_pass")()
    return passes


def run_passes(
    module: llvm.ModuleRef, machine: llvm.TargetMachine, options: llvm.PipelineTuningOptions
) -> None:
    """Optimise a module in place by the default passes of LLVM for `machine`."""
    builder = llvm.create_pass_builder(machine, options)
    _run(builder.getModulePassManager(), module, builder)


def _run(passes: Any, module: llvm.ModuleRef, builder: llvm.PassBuilder) -> None:
    """Run passes and free them: llvmlite's class of pass managers inherits an empty `_dispose`
    before the real one, so each would leak 80 KB."""
    try:
        passes.run(module, builder)
    finally:
        NewPassManager._dispose(passes)
        passes.detach()  # prevents a second free


def parsed(text: str, what: str) -> llvm.ModuleRef:
    """Return the module of `text`, not optimised.

    Each has its own context, so that LLVM's memory for it is freed with it.
    """
    try:
        module = llvm.parse_assembly(text, llvm.create_context())
        module.verify()
    except RuntimeError as error:
        raise CompileError(
            f"{what}: LLVM does not accept the text that was made of it; set "
            "NBGRAPH_COMPILER=numba, and please report this",
            details=f"{error}\n\n{text}",
        ) from None
    return module
