"""Seeded bugs: the text of a function of the core, changed, and put back afterwards."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
from collections.abc import Iterator
from types import ModuleType

from nbgraph.engine.core import (
    entries,
    launching,
    layout,
    memory,
    operations,
    outside,
    plans,
    queues,
    running,
    state,
    tracker,
    waiting,
)
from nbgraph.engine.core.compiled import MODULES


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A bug: in this function `old` becomes `new`; one of the programs must show it."""

    module: ModuleType
    function: str
    old: str
    new: str
    programs: tuple[str, ...]

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        original = getattr(self.module, self.function)
        text = inspect.getsource(original)
        assert text.count(self.old) == 1, f"{self.function} holds {self.old!r} not once"
        lines = "from __future__ import annotations\n" + text.replace(self.old, self.new)
        made: dict[str, object] = {}
        exec(compile(lines, f"<mutant of {self.function}>", "exec"), vars(self.module), made)
        users = [m for m in MODULES if vars(m).get(self.function) is original]
        assert self.module in users
        try:
            for user in users:
                setattr(user, self.function, made[self.function])
            yield
        finally:
            for user in users:
                setattr(user, self.function, original)


MUTANTS = {
    "a waiting thread runs the rest of a loop": Mutant(
        operations,
        "is_long",
        "(kind == STEP and is_rest(operation, instance)) or ",
        "",
        ("plan_leaves_a_loop",),
    ),
    "a failure in the rest of a loop is lost": Mutant(
        running,
        "go_on",
        "finish_step(core, step, code, 0)",
        "finish_step(core, step, 0, 0)",
        ("plan_leaves_a_loop_that_fails",),
    ),
    "write ignores readers": Mutant(
        tracker,
        "may_take",
        "if load(variable + V_READS) != 0:",
        "if False:",
        ("readers_and_writer",),
    ),
    "read overtakes a queued write": Mutant(
        tracker,
        "request",
        "if load(variable + V_HEAD) == 0 and may_take",
        "if may_take",
        ("readers_and_writer",),
    ),
    "lane ignores another lane's issued work": Mutant(
        tracker,
        "may_take",
        "return issued == 0 or (lane != 0 and load(variable + V_LANE) == lane)",
        "return True",
        ("lane_and_kernels",),
    ),
    "version not counted": Mutant(
        tracker,
        "give_back",
        "load(variable + V_VERSION) + 1",
        "load(variable + V_VERSION)",
        ("one_worker",),
    ),
    "parks without looking at the signal": Mutant(
        waiting,
        "rest",
        "compare_exchange(word, SPINNING, PARKED)",
        "compare_exchange(word, load_acquire(word), PARKED)",
        ("worker_without_waiter",),
    ),
    "rests without being noted as idle": Mutant(
        waiting,
        "worker",
        "        if load(core + STOPPING) != 0:",
        "        unlock(core)\n        lock(core)\n        if load(core + STOPPING) != 0:",
        ("worker_without_waiter",),
    ),
    "watches without looking again": Mutant(
        waiting,
        "wait",
        "        if reached(core, operation, sequence):\n            unlock(core)\n",
        "        if False:\n            unlock(core)\n",
        ("wake_up_handed_on", "ticket_waits"),
    ),
    "wake-up not handed on": Mutant(
        waiting,
        "wait",
        "    hand_on(core, NATIVE)\n",
        "",
        ("wake_up_handed_on",),
    ),
    "a chain goes on with what is long": Mutant(
        operations,
        "suits",
        "not is_long(operation, keep)",
        "True",
        ("long_kernels_are_left",),
    ),
    "helps with what is long": Mutant(
        waiting,
        "help_locked",
        "is_long(operation, longest)",
        "False",
        ("long_kernels_are_left",),
    ),
    "takes a plan that is not known for a short one": Mutant(
        operations,
        "is_long_plan",
        "taken == 0 or ",
        "",
        ("unknown_plan_is_left",),
    ),
    "takes part in a long plan": Mutant(
        waiting,
        "help_locked",
        "is_long_plan(instance, longest)",
        "False",
        ("unknown_plan_is_left",),
    ),
    "stays on the idle list after a time-out": Mutant(
        waiting,
        "settle_parker",
        "        remove_idle(core, parker)\n",
        "",
        ("signals", "waits_that_time_out"),
    ),
    "a done operation forgets its watchers": Mutant(
        operations,
        "complete_locked",
        "    parkers = take_watchers(core, load(operation + O_WATCHERS), parkers)\n",
        "",
        ("ticket_waits",),
    ),
    "the last operation forgets who waits for all": Mutant(
        operations,
        "settle_locked",
        "parkers = take_watchers(core, load(core + ALL_WAITERS), parkers)",
        "pass",
        ("one_worker",),
    ),
    "the brake never wakes": Mutant(
        operations,
        "settle_locked",
        "if load(core + BRAKE_WAITERS) != 0 and below_brake(core):",
        "if False:",
        ("brake",),
    ),
    "the brake lets go at its limit": Mutant(
        operations, "below_brake", "max(1, limit // 8)", "limit // 8", ("brake_alone",)
    ),
    "the brake forgets what is needed": Mutant(
        operations,
        "below_brake",
        "max(limit_bytes // 8, load(core + BRAKE_NEED))",
        "limit_bytes // 8",
        ("brake_of_bytes",),
    ),
    "poison ignores that it was raised": Mutant(
        memory,
        "applies",
        "return raised == 0 or sequence <= raised",
        "return True",
        ("failure_already_raised",),
    ),
    "what was raised poisons nothing": Mutant(
        memory,
        "applies",
        "return raised == 0 or sequence <= raised",
        "return raised == 0",
        ("failure_already_raised", "lane_poisoned_between"),
    ),
    "what issued work will clear poisons already": Mutant(
        tracker,
        "poison",
        "known = issued or load(variable + V_ISSUED_WRITES) == 0",
        "known = True",
        ("lane_clears_a_failure",),
    ),
    "poison between the phases is missed": Mutant(
        operations,
        "complete_locked",
        "if load(operation + O_FLAGS) & (ISSUED | NO_SKIP) == ISSUED:",
        "if False:",
        ("lane_poisoned_between",),
    ),
    "cell dropped too early": Mutant(
        memory, "set_cell", "        hold_cell(cell)\n", "        pass\n", ("failure_flows",)
    ),
    "several chunks are several failures": Mutant(
        outside,
        "fail_row",
        "if cell != 0 and load(cell + C_SEQ)",
        "if False and load(cell + C_SEQ)",
        ("chunks_fail",),
    ),
    "template buried before its last push is done": Mutant(
        operations, "settle_locked", "if uses == 0 and load", "if load", ("templates",)
    ),
    "a mark forgets its notices": Mutant(
        operations,
        "settle_locked",
        "    notify = load(operation + O_NOTIFY)\n",
        "    notify = load(operation + O_NOTIFY) if load(operation + O_KIND) != MARK else 0\n",
        ("notices",),
    ),
    "variable given up without compare-exchange": Mutant(
        state,
        "give_up",
        "if compare_exchange(core + RELEASED, head, variable):",
        "store_release(core + RELEASED, variable)\n        if True:",
        ("given_up",),
    ),
    "lowest priority first": Mutant(
        queues, "before", "return pa > pb", "return pa < pb", ("priorities_in_order",)
    ),
    "outside variable given back before its last user": Mutant(
        outside,
        "use_done",
        "fetch_add(remaining + WORD * index, -1) == 1",
        "fetch_add(remaining + WORD * index, -1) != 0",
        ("plan_serial", "plan_parallel"),
    ),
    "late variable not awaited": Mutant(
        outside, "acquire_outside", "return granted", "return True", ("plan_with_late_variable",)
    ),
    "ticket claimed twice": Mutant(
        plans,
        "claim",
        "compare_exchange(instance + I_HEAD, head, head + count)",
        "fetch_add(instance + I_HEAD, count) >= 0",
        ("plan_in_chunks", "plan_parallel"),
    ),
    "two tickets are claimed and one is run": Mutant(
        plans,
        "claim",
        "    return head, head + count\n",
        "    return head, head + 1\n",
        ("plan_of_many_short_rows",),
    ),
    "rows that are done are not counted": Mutant(
        plans,
        "work",
        "            done += finished\n",
        "            done = finished\n",
        ("plan_twice",),
    ),
    "tickets of an earlier run are good": Mutant(
        plans,
        "begin_tickets",
        "(load(instance + I_EPOCH) + 1) % EPOCHS",
        "1",
        ("plan_twice", "plan_in_chunks"),
    ),
    "counters are not set again": Mutant(
        plans,
        "row_done",
        "            store(counters + WORD * successor, load(load(instance + I_INDEGREE) + "
        "WORD * successor))\n",
        "",
        ("plan_twice",),
    ),
    "Python row without a reference": Mutant(
        running,
        "finish_step",
        "    store(instance + I_REFS, load(instance + I_REFS) + 1)\n",
        "",
        ("plan_with_python_row",),
    ),
    "words of a push are not written": Mutant(
        running,
        "start_plan",
        "    patch(operation, instance)\n",
        "",
        ("plan_launched",),
    ),
    "words are written before the run before is over": Mutant(
        launching,
        "launch",
        "    return admit(core, operation)\n",
        f"    store(load(load(instance + {layout.I_PLACES})), "
        "argument(argv, LAUNCHED + externals))\n"
        "    return admit(core, operation)\n",
        ("plan_launched",),
    ),
    "launched for the variables of the template": Mutant(
        launching,
        "put_instead",
        "load(variables + WORD * i)",
        "load(slot + S_VARIABLE)",
        ("plan_launched",),
    ),
    "the failure found on what is overwritten counts": Mutant(
        outside, "skip_row", "if which & SPARED == 0:", "if True:", ("plan_overwrites",)
    ),
    "an outside variable keeps no failure of a short plan": Mutant(
        outside,
        "give_back_locked",
        "cell = load(load(instance + I_EXTERNAL_ERRORS) + 2 * WORD * index + WORD)",
        "cell = 0",
        ("plan_launched_fails",),
    ),
    "the brake does not hold launches": Mutant(
        launching,
        "launch",
        "if argument(argv, 5) != 1 and over_brake(core, template):",
        "if False:",
        ("plan_launched_and_held",),
    ),
    "a short plan begins although it has to wait": Mutant(
        operations,
        "admit_locked",
        "    if not enter(core, operation):\n        return DONE\n",
        "    if not enter(core, operation) and load(operation + O_KIND) != PLAN:\n"
        "        return DONE\n",
        ("plan_launched_inline",),
    ),
    "a thread that waits keeps its row": Mutant(
        waiting,
        "wait",
        "        hand_over_step(core, parker)",
        "        pass",
        ("plan_row_of_an_interrupted_thread",),
    ),
    "a row that was handed over is its pusher's": Mutant(
        outside,
        "hand_over_step",
        "    store(step + O_RUNNER, 0)\n",
        "",
        ("plan_run_by_pusher",),
    ),
    "a plan that waited is its pusher's": Mutant(
        entries,
        "admit",
        "        store(operation + O_RUNNER, 0)\n",
        "        pass\n",
        ("plan_run_by_pusher",),
    ),
    "a plan by its pusher counts the rows": Mutant(
        running,
        "finish_step",
        "if load(instance + I_PARALLEL) == 0:",
        "if False:",
        ("plan_run_by_pusher",),
    ),
    "the brake holds nobody who runs Python rows": Mutant(
        launching,
        "launch",
        "argument(argv, 5) != 1 and over_brake",
        "argument(argv, 5) == 0 and over_brake",
        ("plan_run_by_pusher_held",),
    ),
    "last chunk not waited for": Mutant(
        plans, "run_chunk", "-1) == 1", "-1) >= 1", ("plan_in_chunks", "kernel_in_chunks")
    ),
}

# bugs that show only where a thread is late with a claim by addition: see `explore.Late`
LATE = {
    "the place of a ticket yet to come is left": Mutant(
        plans,
        "work",
        "if spins > PATIENCE_SPINS and first == last:",
        "if spins > PATIENCE_SPINS:",
        ("plan_of_many_long_rows",),
    ),
    "a place is run before its ticket is there": Mutant(
        plans,
        "work",
        "if ticket >> 32 == first >> 32:",
        "if ticket != 0:",
        ("plan_of_many_long_rows",),
    ),
}
