"""The kernel of products in LLVM text: tiles of the result, each one call of BLAS.

Loads the record, sees to the thread count (`enter`, `leave`; see `nbgraph.kernels.blas`), and for
each tile finds the product it belongs to and its place there.
"""

from __future__ import annotations

# The record, in words. `u` runs along the result's elements that lie one step apart, `v` across.
# Steps are bytes; "first" is the operand with u, "second" that with v (or the vector).
WORDS = (
    *("tiles", "outer", "first", "second", "out"),
    *("gemm", "gemv", "threads", "alpha", "beta", "first_form", "second_form", "vector"),
    *("u", "v", "k", "first_ld", "second_ld", "out_ld"),
    *("tile_u", "tile_v", "across", "first_step", "second_step", "u_step", "v_step"),
)  # then for each outer dimension, innermost first: extent, steps of first, second, out

_FIELDS = "\n".join(
    f"  %{name}.at = getelementptr i64, ptr %record, i64 {place}\n"
    f"  %{name} = load i64, ptr %{name}.at"
    for place, name in enumerate(WORDS)
)
_STATE = "\n".join(
    f"  %{name} = getelementptr i64, ptr %threads, i64 {place}"
    for place, name in enumerate(("lock", "under_way", "kept", "getter.at", "setter.at"))
)

TEXT = f"""
declare i32 @sched_yield()

define internal void @lock(ptr %lock) noinline {{
entry:
  br label %try
try:
  %was = atomicrmw xchg ptr %lock, i64 1 acquire
  %taken = icmp ne i64 %was, 0
  br i1 %taken, label %wait, label %done
wait:
  %ignored = call i32 @sched_yield()
  br label %try
done:
  ret void
}}

define internal void @enter(ptr %threads) noinline {{
{_STATE}
  %getter.word = load i64, ptr %getter.at
  %nothing = icmp eq i64 %getter.word, 0
  br i1 %nothing, label %done, label %look
look:
  call void @lock(ptr %lock)
  %others = load i64, ptr %under_way
  %first = icmp eq i64 %others, 0
  br i1 %first, label %keep, label %count
keep:
  %getter = inttoptr i64 %getter.word to ptr
  %now = call i32 %getter()
  %now.word = sext i32 %now to i64
  store i64 %now.word, ptr %kept
  %one = icmp eq i32 %now, 1
  br i1 %one, label %count, label %set
set:
  %setter.word = load i64, ptr %setter.at
  %setter = inttoptr i64 %setter.word to ptr
  call void %setter(i32 1)
  br label %count
count:
  %more = add i64 %others, 1
  store i64 %more, ptr %under_way
  store atomic i64 0, ptr %lock release, align 8
  br label %done
done:
  ret void
}}

define internal void @leave(ptr %threads) noinline {{
{_STATE}
  %getter.word = load i64, ptr %getter.at
  %nothing = icmp eq i64 %getter.word, 0
  br i1 %nothing, label %done, label %look
look:
  call void @lock(ptr %lock)
  %count = load i64, ptr %under_way
  %less = sub i64 %count, 1
  store i64 %less, ptr %under_way
  %last = icmp eq i64 %less, 0
  %was = load i64, ptr %kept
  %was.more = icmp ne i64 %was, 1
  %back = and i1 %last, %was.more
  br i1 %back, label %check, label %release
check:
  %getter = inttoptr i64 %getter.word to ptr
  %now = call i32 %getter()
  %ours = icmp eq i32 %now, 1
  br i1 %ours, label %set, label %release
set:
  %setter.word = load i64, ptr %setter.at
  %setter = inttoptr i64 %setter.word to ptr
  %was.count = trunc i64 %was to i32
  call void %setter(i32 %was.count)
  br label %release
release:
  store atomic i64 0, ptr %lock release, align 8
  br label %done
done:
  ret void
}}

define i64 @nbgraph_kernel(i64 %args, i64 %lo, i64 %hi) {{
entry:
  %record = inttoptr i64 %args to ptr
  %own_u = alloca i32
  %own_v = alloca i32
{_FIELDS}
  %dimensions = getelementptr i64, ptr %record, i64 {len(WORDS)}
  %gemm.function = inttoptr i64 %gemm to ptr
  %gemv.function = inttoptr i64 %gemv to ptr
  %threads.state = inttoptr i64 %threads to ptr
  %is_vector = icmp ne i64 %vector, 0
  %plain = icmp eq i64 %first_form, 78
  call void @enter(ptr %threads.state)
  br label %next
next:
  %tile = phi i64 [ %lo, %entry ], [ %tile.after, %ran ]
  %more = icmp slt i64 %tile, %hi
  br i1 %more, label %begin, label %done
begin:
  %product = sdiv i64 %tile, %tiles
  %within = srem i64 %tile, %tiles
  %tile.v = sdiv i64 %within, %across
  %tile.u = srem i64 %within, %across
  %at.u = mul i64 %tile.u, %tile_u
  %at.v = mul i64 %tile.v, %tile_v
  %left.u = sub i64 %u, %at.u
  %left.v = sub i64 %v, %at.v
  %full.u = icmp slt i64 %tile_u, %left.u
  %full.v = icmp slt i64 %tile_v, %left.v
  %size.u = select i1 %full.u, i64 %tile_u, i64 %left.u
  %size.v = select i1 %full.v, i64 %tile_v, i64 %left.v
  %size.u.int = trunc i64 %size.u to i32
  %size.v.int = trunc i64 %size.v to i32
  store i32 %size.u.int, ptr %own_u
  store i32 %size.v.int, ptr %own_v
  %first.tile = mul i64 %at.u, %first_step
  %second.tile = mul i64 %at.v, %second_step
  %out.tile.u = mul i64 %at.u, %u_step
  %out.tile.v = mul i64 %at.v, %v_step
  %first.begin = add i64 %first, %first.tile
  %second.begin = add i64 %second, %second.tile
  %out.row = add i64 %out, %out.tile.v
  %out.begin = add i64 %out.row, %out.tile.u
  br label %outward
outward:
  %d = phi i64 [ 0, %begin ], [ %d.after, %inward ]
  %rest = phi i64 [ %product, %begin ], [ %rest.after, %inward ]
  %a = phi i64 [ %first.begin, %begin ], [ %a.after, %inward ]
  %b = phi i64 [ %second.begin, %begin ], [ %b.after, %inward ]
  %c = phi i64 [ %out.begin, %begin ], [ %c.after, %inward ]
  %deeper = icmp slt i64 %d, %outer
  br i1 %deeper, label %inward, label %call
inward:
  %d.words = mul i64 %d, 4
  %extent.at = getelementptr i64, ptr %dimensions, i64 %d.words
  %a.step.at = getelementptr i64, ptr %extent.at, i64 1
  %b.step.at = getelementptr i64, ptr %extent.at, i64 2
  %c.step.at = getelementptr i64, ptr %extent.at, i64 3
  %extent = load i64, ptr %extent.at
  %a.step = load i64, ptr %a.step.at
  %b.step = load i64, ptr %b.step.at
  %c.step = load i64, ptr %c.step.at
  %index = srem i64 %rest, %extent
  %rest.after = sdiv i64 %rest, %extent
  %a.move = mul i64 %index, %a.step
  %b.move = mul i64 %index, %b.step
  %c.move = mul i64 %index, %c.step
  %a.after = add i64 %a, %a.move
  %b.after = add i64 %b, %b.move
  %c.after = add i64 %c, %c.move
  %d.after = add i64 %d, 1
  br label %outward
call:
  %pa = inttoptr i64 %a to ptr
  %pb = inttoptr i64 %b to ptr
  %pc = inttoptr i64 %c to ptr
  br i1 %is_vector, label %by_gemv, label %by_gemm
by_gemm:
  call void %gemm.function(ptr %first_form.at, ptr %second_form.at, ptr %own_u, ptr %own_v,
    ptr %k.at, ptr %alpha.at, ptr %pa, ptr %first_ld.at, ptr %pb, ptr %second_ld.at,
    ptr %beta.at, ptr %pc, ptr %out_ld.at)
  br label %ran
by_gemv:
  %rows = select i1 %plain, ptr %own_u, ptr %k.at
  %columns = select i1 %plain, ptr %k.at, ptr %own_u
  call void %gemv.function(ptr %first_form.at, ptr %rows, ptr %columns, ptr %alpha.at, ptr %pa,
    ptr %first_ld.at, ptr %pb, ptr %second_ld.at, ptr %beta.at, ptr %pc, ptr %out_ld.at)
  br label %ran
ran:
  %tile.after = add i64 %tile, 1
  br label %next
done:
  call void @leave(ptr %threads.state)
  ret i64 0
}}
"""
