# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The core, from scratch
#
# What nbgraph does, in the fewest lines that still do it: a scalar function becomes a kernel and a
# derivative, an engine orders what is pushed by what it reads and writes, and a graph of calls
# becomes one loop. Nothing here imports nbgraph until the end, where the results are compared.

# %%
import ast
import inspect
import math
import threading
from collections import deque

import numba
import numpy as np

# %% [markdown]
# ## 1. A scalar function is an expression
#
# The function's source is read once. What it returns is an expression: a tuple of an operation and
# its operands; leaves are names and numbers. An early `return` in an `if` is a choice.

# %%
BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Gt: ">", ast.Lt: "<"}


def read(fn):
    """Operand names and the expression of a function."""
    (definition,) = ast.parse(inspect.getsource(fn).split("\n", 1)[1]).body
    names = [a.arg for a in definition.args.args]
    return names, body(definition.body, {name: name for name in names})


def body(lines, known):
    first, rest = lines[0], lines[1:]
    match first:
        case ast.Return(value):
            return value_of(value, known)
        case ast.Assign([ast.Name(name)], value):
            return body(rest, known | {name: value_of(value, known)})
        case ast.If(test, then, other):
            return ("where", value_of(test, known), body(then, known), body(other or rest, known))
    raise SyntaxError(f"line {first.lineno} is not understood")


def value_of(node, known):
    match node:
        case ast.Constant(value):
            return float(value)
        case ast.Name(name):
            return known[name]
        case ast.UnaryOp(ast.USub(), x):
            return ("*", -1.0, value_of(x, known))
        case ast.BinOp(a, op, b) | ast.Compare(a, [op], [b]):
            return (BINARY[type(op)], value_of(a, known), value_of(b, known))
        case ast.Call(ast.Attribute(ast.Name("math"), name), [x]):
            return (name, value_of(x, known))
    raise SyntaxError(f"line {node.lineno} is not understood")


# %% [markdown]
# ## 2. An expression is a kernel
#
# The expression is written as the text of a loop, and the text is compiled. It runs without the
# interpreter's lock, so that kernels can run beside each other.


# %%
def text(e):
    if isinstance(e, str):
        return f"{e}[i]"
    if isinstance(e, float):
        return repr(e)
    op, *args = e
    parts = [text(a) for a in args]
    if op == "where":
        return f"({parts[1]} if {parts[0]} else {parts[2]})"
    return f"({parts[0]} {op} {parts[1]})" if len(parts) == 2 else f"math.{op}({parts[0]})"


KERNELS = {}


def kernel(names, e):
    """A compiled loop over one-dimensional arrays; the same text is compiled once."""
    loop = f"def loop({', '.join(names)}, out):\n    for i in range(out.size):\n"
    loop += f"        out[i] = {text(e)}\n"
    if loop not in KERNELS:
        space = {"math": math}
        exec(loop, space)
        KERNELS[loop] = numba.njit(nogil=True, error_model="numpy")(space["loop"])
    return KERNELS[loop]


# %% [markdown]
# ## 3. Its derivative is an expression, too
#
# Of a choice only the side taken counts. Sums and products with 0 and 1 go at once, so that what is
# left is short.

# %%
SLOPES = {
    "exp": lambda x: ("exp", x),
    "log": lambda x: ("/", 1.0, x),
    "tanh": lambda x: ("-", 1.0, ("*", ("tanh", x), ("tanh", x))),
}


def plus(a, b):
    return b if a == 0.0 else a if b == 0.0 else ("+", a, b)


def times(a, b):
    return 0.0 if 0.0 in (a, b) else b if a == 1.0 else a if b == 1.0 else ("*", a, b)


def slope(e, name):
    if isinstance(e, (str, float)):
        return float(e == name)
    op, *args = e
    if op == "where":
        return ("where", args[0], slope(args[1], name), slope(args[2], name))
    inner = [slope(a, name) for a in args]
    match op:
        case "+":
            return plus(*inner)
        case "-":
            return plus(inner[0], times(-1.0, inner[1]))
        case "*":
            return plus(times(inner[0], args[1]), times(args[0], inner[1]))
        case "/":
            below = times(-1.0, times(("/", e, args[1]), inner[1]))
            return plus(times(inner[0], ("/", 1.0, args[1])), below)
    return times(SLOPES[op](*args), *inner)


# %% [markdown]
# ## 4. An engine
#
# A job says which variables it reads and which it writes. Each variable keeps a queue of jobs in the
# order they were pushed: several readers at its head may run, or one writer. A job runs when it is
# admitted by all its variables. Nothing else is ordered.


# %%
class Variable:
    def __init__(self):
        self.queue = deque()  # [job, whether it writes, whether it was admitted]


class Job:
    def __init__(self, fn, reads, writes):
        self.fn, self.uses = fn, [(v, False) for v in reads] + [(v, True) for v in writes]
        self.waits = len(self.uses) or 1


class Engine:
    def __init__(self, workers=2):
        self.change, self.ready, self.open = threading.Condition(), deque(), 0
        for _ in range(workers):
            threading.Thread(target=self.work, daemon=True).start()

    def push(self, fn, reads=(), writes=()):
        job = Job(fn, [v for v in reads if v not in writes], writes)
        with self.change:
            self.open += 1
            for variable, writing in job.uses:
                variable.queue.append([job, writing, False])
                self.admit(variable)
            if not job.uses:
                self.ready.append(job)
            self.change.notify_all()

    def admit(self, variable):
        for place, entry in enumerate(variable.queue):
            job, writing, admitted = entry
            if writing and place:
                return
            if not admitted:
                entry[2] = True
                job.waits -= 1
                if not job.waits:
                    self.ready.append(job)
            if writing:
                return

    def work(self):
        while True:
            with self.change:
                self.change.wait_for(lambda: self.ready)
                job = self.ready.popleft()
            job.fn()
            with self.change:
                self.open -= 1
                for variable, _ in job.uses:
                    variable.queue = deque(e for e in variable.queue if e[0] is not job)
                    self.admit(variable)
                self.change.notify_all()

    def wait(self):
        with self.change:
            self.change.wait_for(lambda: not self.open)


engine = Engine()

# %% [markdown]
# Two jobs that write one list keep their order, whatever the workers do.

# %%
log, shared = [], Variable()
for number in range(100):
    engine.push(lambda n=number: log.append(n), writes=[shared])
engine.wait()
assert log == list(range(100))

# %% [markdown]
# ## 5. Operators: arrays at once, or a graph
#
# An operator on arrays pushes its kernel and returns. On symbols it makes a node: its expression,
# with the expressions of its operands in place of their names. So a graph of such operators is one
# expression, which is what fusion comes to.


# %%
class Array:
    def __init__(self, values):
        self.values, self.variable = np.asarray(values, "f8"), Variable()

    def numpy(self):
        engine.wait()
        return self.values


class Symbol:
    def __init__(self, e):
        self.e = e


def substituted(e, known):
    if isinstance(e, str):
        return known[e]
    return e if isinstance(e, float) else (e[0], *[substituted(a, known) for a in e[1:]])


def run(names, e, arrays):
    out, loop = Array(np.empty_like(arrays[0].values)), kernel(names, e)
    reads = [a.variable for a in arrays]
    engine.push(lambda: loop(*[a.values for a in arrays], out.values), reads, [out.variable])
    return out


class Op:
    def __init__(self, names, e):
        self.names, self.e = names, e

    def __call__(self, *operands):
        if isinstance(operands[0], Symbol):
            known = dict(zip(self.names, [s.e for s in operands]))
            return Symbol(substituted(self.e, known))
        return run(self.names, self.e, operands)

    def derivative(self, name):
        return Op(self.names, slope(self.e, name))


def op(fn):
    return Op(*read(fn))


# %%
@op
def smooth_l1(x):
    if x > 1:
        return x - 0.5
    if x < -1:
        return -x - 0.5
    return 0.5 * x * x


@op
def scaled(a, b):
    return math.tanh(a) * b


x = Array(np.linspace(-3, 3, 7))
print(smooth_l1(x).numpy(), smooth_l1.derivative("x")(x).numpy())
print(text(smooth_l1.derivative("x").e))

# %% [markdown]
# ## 6. A graph is one loop, and so is its gradient

# %%
a, b = Symbol("a"), Symbol("b")
whole = smooth_l1(scaled(a, b))
program = Op(["a", "b"], whole.e)
by_a, by_b = program.derivative("a"), program.derivative("b")
print("forward: ", text(program.e))

rng = np.random.default_rng(0)
p, q = rng.normal(size=(2, 1000)) * 2
found = [f(Array(p), Array(q)) for f in (program, by_a, by_b)]

# %% [markdown]
# ## The same, by nbgraph
#
# Its expressions are shared, not written out twice; its kernels are vectors, its derivatives
# certified, its engine compiled, its graphs planned, and it knows reductions, products, views and
# devices. The order of steps is this one.

# %%
import nbgraph as ng


@ng.op
def ng_smooth_l1(x):
    if x > 1:
        return x - 0.5
    if x < -1:
        return -x - 0.5
    return 0.5 * x * x


@ng.op
def ng_scaled(a, b):
    return math.tanh(a) * b


def total(a, b):
    return ng.sum(ng_smooth_l1(ng_scaled(a, b)))


slopes = ng.grad(total, argnums=(0, 1))(p, q)
assert np.allclose(found[0].numpy().sum(), total(ng.array(p), ng.array(q)).item())
assert np.allclose(found[1].numpy(), slopes[0]) and np.allclose(found[2].numpy(), slopes[1])
print("the same numbers")
