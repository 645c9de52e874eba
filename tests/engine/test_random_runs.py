"""Random plans whose runs have variables, words and an object of their own, on all engines: the
same values and failures as in serial execution."""

import random

import pytest

from nbgraph.engine.native_call import NativeCall
from nbgraph.engine.plans.plan import Outside, Plan, Step
from nbgraph.errors import KernelError
from tests.engine.kernels import NUMBERS
from tests.engine.world import World

WAIT = 30
KEYS, INSIDE, VARIABLES, RUNS = 4, 3, 6, 5


class Case:
    """A random plan of placeholders: what it is made of, and what one run of it does serially."""

    def __init__(self, rng, world, numbers):
        self.world = world
        self.keys = [Outside(f"key {k}") for k in range(KEYS)]
        self.rows, steps, patches = [], [], {}
        for place in range(rng.randint(1, 8)):
            names = rng.sample(range(KEYS + INSIDE), rng.randint(1, 4))
            cut = rng.randint(0, len(names))
            codes = [next(numbers) << 1 | (rng.random() < 0.06) for _ in range(RUNS)]
            row = (list(codes), f"step {codes[0] >> 1}", names[:cut], names[cut:])
            clears = rng.random() < 0.3
            self.rows.append((*row, clears))
            steps.append(self.step(rng, world.codes(codes), *row[1:], clears))
            if isinstance(steps[-1].run, NativeCall):
                for at, name in enumerate(names, NUMBERS):
                    patches.setdefault(name, []).append((place, at))
        used = {each for step in steps for each in (*step.reads, *step.writes)}
        late = [key for key in self.keys if key in used and rng.random() < 0.2]
        self.patched = list(patches)
        self.plan = Plan(steps, late=late, patches=list(patches.values()))

    def step(self, rng, codes, name, reads, writes, clears):
        world = self.world
        uses = [[self.keys[n] if n < KEYS else n for n in names] for names in (reads, writes)]
        options = {"name": name, "overwrites": clears}
        if rng.random() < 0.15:  # a function is told of the places of its run

            def run(run_ctx, places):
                names = [places[n] for n in reads], [places[n] for n in writes]
                world.call(codes, *names)(run_ctx)

            return Step(run, *map(tuple, uses), wants_state=True, **options)
        call = world.call(codes, reads, writes, rng.choice([0, 100, 100, 100, 30_000]))
        return Step(call, *map(tuple, uses), **options)

    def run(self, rng, instance, variables, base, order):
        """Push it with some variables, and do the same serially."""
        chosen = rng.sample(range(VARIABLES), KEYS)
        places = dict(enumerate([*chosen, *(base + i for i in range(INSIDE))]))
        for place in [p for p in self.world.failures if p >= VARIABLES]:
            del self.world.failures[place]  # a run begins with nothing failed inside
        for place, (codes, name, reads, writes, clears) in enumerate(self.rows, 1):
            names = [places[n] for n in reads], [places[n] for n in writes]
            self.world.serially(codes, (order, place), name, *names, clears)
        named = {k: variables[p] for k, p in zip(self.keys, chosen, strict=True)}
        named = {k: v for k, v in named.items() if k in self.plan.outside}
        words = [places[name] for name in self.patched]
        if rng.random() < 0.5:
            instance.push(variables=named, words=words, state=places)
        else:
            in_order = [named[key] for key in self.plan.outside]
            instance.launch(in_order, words, 0, places)


def run_program(engine, seed):
    rng = random.Random(seed)
    world, numbers = World(600, 60), iter(range(600))
    variables = [engine.new_variable(f"v{i}") for i in range(VARIABLES)]
    cases = [Case(rng, world, numbers) for _ in range(rng.randint(1, 2))]
    instances = [case.plan.instance(engine) for case in cases]
    runs = [0] * len(cases)
    for order in range(1, rng.randint(4, 12)):
        which = rng.randrange(len(cases))
        if runs[which] < RUNS and rng.random() < 0.8:
            cases[which].run(rng, instances[which], variables, 10 * (which + 1), order)
            runs[which] += 1
        else:
            place, other = rng.sample(range(VARIABLES), 2)
            code = next(numbers) << 1 | (rng.random() < 0.1)
            call = world.call([code], [place], [other])
            engine.push(call, const_vars=[variables[place]], mutate_vars=[variables[other]])
            world.serially([code], (order, 0), call.__name__, [place], [other])
    engine._wait_all(None)
    world.check()
    for place, variable in enumerate(variables):
        failure, wanted = engine._failure_of(variable), world.failures.get(place)
        assert (failure and failure.name) == (wanted and wanted[1]), f"v{place}"
    for _ in range(3):
        try:
            engine.wait_for_all(WAIT)
        except KernelError:
            continue
        break


@pytest.mark.parametrize("part", range(3))
def test_random_runs_agree_with_serial_execution(any_engine, part):
    for seed in range(20 if any_engine.kind == "chaos" else 60):
        run_program(any_engine, 1000 * part + seed)


@pytest.mark.slow
def test_many_random_runs(any_engine):
    for seed in range(10_000, 10_200 if any_engine.kind == "chaos" else 13_000):
        run_program(any_engine, seed)
