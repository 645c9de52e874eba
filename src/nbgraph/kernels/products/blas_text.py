"""The kernel of products in LLVM text: each tile of the result is one call of BLAS.

It reads the record, sets and restores the thread count (`enter`, `leave`; see
`nbgraph.kernels.products.blas`), and for each tile computes its product and its offset there.
"""

from nbgraph.codegen.text import Function

# The record, in words. `u` runs along the contiguous elements of the result, `v` across. Steps are
# bytes; "first" is the operand with u, "second" that with v (or the vector).
WORDS = (
    *("tiles", "outer", "first", "second", "out", "gemm", "gemv", "threads"),
    *("alpha", "alpha_imag", "beta", "beta_imag", "first_form", "second_form", "vector"),
    *("u", "v", "k", "first_ld", "second_ld", "out_ld"),
    *("tile_u", "tile_v", "across", "first_step", "second_step", "u_step", "v_step"),
)  # then for each outer dimension, innermost first: extent, steps of first, second, out

_LOCK, _UNDER_WAY, _KEPT, _GETTER, _SETTER = range(5)  # of the words that all calls share


def _lock() -> str:
    t = Function("void", "ptr %lock", "lock", "noinline ")
    t.label("try")
    was = t.value("atomicrmw xchg ptr %lock, i64 1 acquire")
    with t.when(t.compare("ne", was, 0)):
        t.value("call i32 @sched_yield()")
        t.go("try")
    return t.text("ret void")


def _counting(name: str) -> tuple[Function, str]:
    """Begin the function `enter` or `leave`, which returns if there is no thread count to set;
    otherwise take the lock. Return the function's text, and the count's getter."""
    t = Function("void", "ptr %threads", name, "noinline ")
    getter = t.get_at("%threads", _GETTER)
    t.require(t.compare("ne", getter, 0), "done")
    t.do("call void @lock(ptr %threads)")
    return t, t.value(f"inttoptr i64 {getter} to ptr")


def _set(t: Function, count: str) -> None:
    setter = t.value(f"inttoptr i64 {t.get_at('%threads', _SETTER)} to ptr")
    t.do(f"call void {setter}(i32 {count})")


def _ended(t: Function) -> str:
    t.do("store atomic i64 0, ptr %threads release, align 8")
    t.label("done")
    return t.text("ret void")


def _enter() -> str:
    t, getter = _counting("enter")
    others = t.get_at("%threads", _UNDER_WAY)
    with t.when(t.compare("eq", others, 0)):
        now = t.value(f"call i32 {getter}()")
        t.put_at("%threads", _KEPT, t.value(f"sext i32 {now} to i64"))
        with t.when(t.compare("ne", now, 1, "i32")):
            _set(t, "1")
    t.put_at("%threads", _UNDER_WAY, t.sum(others, 1))
    return _ended(t)


def _leave() -> str:
    t, getter = _counting("leave")
    left = t.number("sub", t.get_at("%threads", _UNDER_WAY), 1)
    t.put_at("%threads", _UNDER_WAY, left)
    was = t.get_at("%threads", _KEPT)
    with t.when(t.all(t.compare("eq", left, 0), t.compare("ne", was, 1))):
        now = t.value(f"call i32 {getter}()")
        with t.when(t.compare("eq", now, 1, "i32")):
            _set(t, t.value(f"trunc i64 {was} to i32"))
    return _ended(t)


def _kernel() -> str:
    t = Function("i64", "i64 %args, i64 %lo, i64 %hi")
    record = t.value("inttoptr i64 %args to ptr")
    at = {name: t.place("i64", record, k) for k, name in enumerate(WORDS)}
    word = {name: t.get(at[name], "i64") for name in WORDS}
    gemm, gemv, threads = (
        t.value(f"inttoptr i64 {word[name]} to ptr") for name in ("gemm", "gemv", "threads")
    )
    sizes = {axis: t.cell("i32") for axis in "uv"}
    dimensions = t.place("i64", record, len(WORDS))
    is_vector = t.compare("ne", word["vector"], 0)
    is_plain = t.compare("eq", word["first_form"], ord("N"))
    t.do(f"call void @enter(ptr {threads})")
    with t.loop("%lo", "%hi") as tile:
        rest, within = (t.number(op, tile, word["tiles"]) for op in ("sdiv", "srem"))
        begin = {
            axis: t.product(t.number(op, within, word["across"]), word[f"tile_{axis}"])
            for axis, op in (("u", "srem"), ("v", "sdiv"))
        }
        for axis, cell in sizes.items():
            size = t.least(word[f"tile_{axis}"], t.number("sub", word[axis], begin[axis]))
            t.put(cell, t.value(f"trunc i64 {size} to i32"), "i32")
        steps = ("first_step",), ("second_step",), ("u_step", "v_step")
        axes, arrays = ("u", "v", "uv"), ("first", "second", "out")
        places = [t.cell("i64") for _ in arrays]
        for cell, name, own, along in zip(places, arrays, steps, axes, strict=True):
            moves = [t.product(begin[a], word[s]) for a, s in zip(along, own, strict=True)]
            t.put(cell, t.sum(word[name], *moves), "i64")
        product = t.cell("i64")
        t.put(product, rest, "i64")
        with t.loop(0, word["outer"]) as d:
            extent, *moves = t.words(t.place("[4 x i64]", dimensions, d), "i64 i64 i64 i64")
            left = t.get(product, "i64")
            index = t.number("srem", left, extent)
            t.put(product, t.number("sdiv", left, extent), "i64")
            for cell, step in zip(places, moves, strict=True):
                t.put(cell, t.sum(t.get(cell, "i64"), t.product(index, step)), "i64")
        a, b, c = (t.value(f"inttoptr i64 {t.get(cell, 'i64')} to ptr") for cell in places)
        k, u, v = at["k"], sizes["u"], sizes["v"]
        scales = at["alpha"], a, at["first_ld"], b, at["second_ld"], at["beta"], c, at["out_ld"]
        with t.when(is_vector):
            pairs = ((u, k), (k, u))
            shape = [t.value(f"select i1 {is_plain}, ptr {x}, ptr {y}") for x, y in pairs]
            _call(t, gemv, at["first_form"], *shape, *scales)
        with t.unless(is_vector):
            _call(t, gemm, at["first_form"], at["second_form"], u, v, k, *scales)
    t.do(f"call void @leave(ptr {threads})")
    return t.text()


def _call(t: Function, code: str, *pointers: str) -> None:
    t.do(f"call void {code}({', '.join(f'ptr {pointer}' for pointer in pointers)})")


THREADS = f"declare i32 @sched_yield()\n{_lock()}\n{_enter()}\n{_leave()}\n"
TEXT = THREADS + _kernel()
