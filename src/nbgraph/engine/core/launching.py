"""Entries that push a run of a plan: a template's copy, with its own variables and words."""

from nbgraph.engine.core.codes import BRAKE, FIXED, LAUNCHED, MISCOUNTED, NO_MEMORY, STALE, TWICE
from nbgraph.engine.core.entries import COUNT_MASK, admit
from nbgraph.engine.core.layout import *
from nbgraph.engine.core.machine import copy_words, load, store
from nbgraph.engine.core.memory import argument, give_block, lock, take_block, unlock
from nbgraph.engine.core.operations import drain_released_locked, over_brake, set_slot
from nbgraph.engine.core.plans import is_brief, is_short


def launch(argv: int, argc: int) -> int:
    """core, template of a plan, site, priority, token of the run's state, 1 if it may pass the
    brake or the parker of a thread that runs Python rows, variables in place of the outside ones
    (all or none), words for the instance's places -> ticket or refusal.
    """
    core = argument(argv, 0)
    template = argument(argv, 1)
    instance = load(template + O_ARGS)
    patches = load(instance + I_WORDS)
    externals = argc - LAUNCHED - patches
    if externals != 0 and externals != load(instance + I_EXTERNALS):
        return MISCOUNTED
    lock(core)
    if load(core + RELEASED) != 0:
        drain_released_locked(core)
    if argument(argv, 5) != 1 and over_brake(core, template):
        unlock(core)
        return BRAKE
    words = O_FIXED + load(template + O_COUNT) * (SLOT // WORD)
    operation = take_block(core, words + patches)
    if operation == 0:
        unlock(core)
        return NO_MEMORY
    power = load(operation + O_CLASS)
    copy_words(operation, template, words)
    store(operation + O_CLASS, power)
    put_instead(operation, argv + WORD * LAUNCHED, externals)
    refusal = misnamed(core, operation)
    if refusal != 0:
        give_block(core, operation)
        unlock(core)
        return refusal
    copy_words(operation + WORD * words, argv + WORD * (LAUNCHED + externals), patches)
    store(operation + O_TEMPLATE, template)
    store(template + O_TEMPLATE, load(template + O_TEMPLATE) + 1)
    store(operation + O_SITE, argument(argv, 2))
    store(operation + O_PRIORITY, argument(argv, 3))
    store(operation + O_TOKEN, argument(argv, 4))
    if load(instance + I_SERIAL) == KERNELS and is_short(instance):
        store(operation + O_FLAGS, load(operation + O_FLAGS) | SMALL)
    elif argument(argv, 5) > 1 and is_brief(instance):
        store(operation + O_FLAGS, load(operation + O_FLAGS) | SMALL)
        store(operation + O_RUNNER, argument(argv, 5))
    return admit(core, operation)


def launch_many(argv: int, argc: int) -> int:
    """address and number of the arguments of `launch`."""
    return launch(argument(argv, 0), argument(argv, 1))


def launch_arrays(argv: int, argc: int) -> int:
    """Launch a plan from the arguments of `submit`, for code that pushes arrays: core, template,
    number of arrays, of variables of the plan, of words and of variables of the arrays; then, at
    the places of `submit`, site, variables and a record. The record has the addresses of the
    arrays; for each variable of the plan its number; for each word the number of an address and an
    offset to add. The caller leaves room after it for the arguments of `launch`.
    """
    arrays, externals, words = argument(argv, 2), argument(argv, 3), argument(argv, 4)
    count = argument(argv, FIXED) & COUNT_MASK
    if count != argument(argv, 5):
        return MISCOUNTED
    variables = argv + WORD * (FIXED + 1)
    addresses = variables + WORD * count
    table = addresses + WORD * arrays
    own = argv + WORD * argc
    copy_words(own, argv, 2)
    store(own + WORD * 2, argument(argv, FIXED - 1))
    for k in range(3, LAUNCHED):
        store(own + WORD * k, 0)
    target = own + WORD * LAUNCHED
    for _ in range(externals):
        store(target, load(variables + WORD * load(table)) >> 2)
        table += WORD
        target += WORD
    for _ in range(words):
        store(target, load(addresses + WORD * load(table)) + load(table + WORD))
        table += 2 * WORD
        target += WORD
    return launch(own, LAUNCHED + externals + words)


def put_instead(operation: int, variables: int, count: int) -> None:
    """Replace the variables in the first slots, keeping their modes."""
    slot = operation + O_SLOTS
    for i in range(count):
        set_slot(slot, load(variables + WORD * i), load(slot + S_MODE) & (MUTATE | LATE))
        slot += SLOT


def misnamed(core: int, operation: int) -> int:
    """Return the code of the reason why an operation may not use its variables, or 0."""
    stamp = load(core + STAMPS) + 1
    store(core + STAMPS, stamp)
    slot = operation + O_SLOTS
    for i in range(load(operation + O_COUNT)):
        variable = load(slot + S_VARIABLE)
        if load(slot + S_MODE) >> 8 != load(variable + V_GENERATION):
            return STALE - i - 1
        if load(variable + V_STAMP) == stamp:
            return TWICE
        store(variable + V_STAMP, stamp)
        slot += SLOT
    return 0
