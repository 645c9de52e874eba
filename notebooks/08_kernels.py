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
# # What a kernel is
#
# A function of one number becomes a loop over arrays. Here are the loops that nbgraph writes, for the
# processor of this machine and for a GPU, and the instructions they turn into. No GPU is needed to
# read them, nor to make them. Every cell can be run again.

# %%
import re
import struct

import numpy as np

import nbgraph as ng


@ng.op
def smooth_l1(x):
    """Quadratic near zero, linear far from it."""
    return 0.5 * x * x if abs(x) < 1 else abs(x) - 0.5


x = np.linspace(-3, 3, 7, dtype=np.float32)
smooth_l1(x)

# %% [markdown]
# ## The loop for this processor
#
# NumPy's `+` is a loop in C that somebody wrote and compiled. This loop was written for your formula,
# when it was first called, and kept on disk. It is Python's grammar, with words for memory: the
# kernel gets one record of addresses, steps and extents (`args`) and does elements `lo` to `hi`.
# The caller may cut the work into ranges, one for each core.

# %%
explained = smooth_l1.explain(dtype="float32")
print(explained.source)

# %% [markdown]
# `if` has become `select`: both sides are computed, and one is taken. So there is nothing to jump
# over, and the processor does several elements with one instruction (SIMD). Which instructions those
# are is read off the assembly, not promised. On x86 `ps` at the end of a name means packed float32.

# %%
print(explained.simd)
arithmetic = re.findall(r"^\s+v?(?:mul|add|sub)[ps]s\b.*", explained.assembly, re.MULTILINE)
print("\n".join(arithmetic[:6]))

# %% [markdown]
# ## A loop for many threads
#
# A GPU runs one function in many thousand threads at once. Each thread knows its number and how many
# there are, and takes the elements that far apart. In plain Python, one thread after another:


# %%
def thread(values, result, start, step):
    """What one thread does."""
    i = start
    while i < len(values):
        v = values[i]
        result[i] = 0.5 * v * v if abs(v) < 1 else abs(v) - 0.5
        i += step


made = np.empty_like(x)
for number in range(3):  # a GPU does these at once, in any order
    thread(x, made, start=number, step=3)
np.testing.assert_array_equal(made, smooth_l1(x))
made

# %% [markdown]
# The kernel that nbgraph writes for a GPU has the same shape: `start`, `step`, and the same record.
# Each thread takes four neighbours at a time, because memory is read in pieces of 16 bytes; the rest
# is done one by one.

# %%
on_gpu = smooth_l1.explain(dtype="float32", device="gpu")
print(on_gpu.source)

# %% [markdown]
# ## The instructions of a GPU
#
# PTX is NVIDIA's text of machine instructions; the driver makes the device's own code of it. LLVM, the
# compiler that comes with Numba, writes it, so no package of CUDA is needed. Threads have registers
# as you have variables: `%r` are numbers, `%rd` addresses, `%p` conditions.

# %%
text = smooth_l1.ptx("float32", cc=(9, 0))
print(len(text.splitlines()), "lines")
print(
    "\n".join(re.findall(r"^\s*(?:ld\.global|st\.global|setp|selp|mul|add|@%p).*", text, re.M)[:18])
)

# %% [markdown]
# `ld.global.v4` reads four numbers at once, `setp` compares, `selp` is `select`, `st.global.v4` writes
# four. A formula in float32 has no float64 in it, here as on the processor: literals do not
# change the precision of a kernel.

# %%
assert "ld.global.v4" in text and "st.global.v4" in text
assert ".f64" not in text
on_gpu.vectors

# %% [markdown]
# Products and sums stay apart, as NumPy computes them: a GPU would like to join them in one
# instruction, which rounds once instead of twice. It may not, so a map has the same bits on both
# devices. The mathematics is the library's own on both, too, and part of the kernel. Here is `exp`,
# down to its polynomial: the numbers are nearly 1/2, 1/6, 1/24, 1/120 and 1/720.

# %%
exp_text = ng.exp.ptx("float32")
written = {
    struct.unpack(">f", bytes.fromhex(digits))[0] for digits in re.findall(r"0f(\w{8})", exp_text)
}
print(len(exp_text.splitlines()), "lines; numbers below one:")
print([round(number, 6) for number in sorted(written, reverse=True) if 1e-3 < number < 1])

# %% [markdown]
# Gradients are kernels like any other.

# %%
slope = smooth_l1.derivative("x")
print(slope(x))
assert "st.global.v4" in slope.ptx("float32")

# %% [markdown]
# ## Sums: threads that talk
#
# A sum needs all elements, so threads have to exchange values. 32 threads run in step and may read each
# other's registers. With each exchange, at distance 16, 8, 4, 2 and 1, every thread adds the value
# of a partner; after five of them all have the total. NumPy can play all 32 at once:

# %%
held = np.arange(32.0)  # a value for each thread
number = np.arange(32)
for distance in (16, 8, 4, 2, 1):
    held = held + held[number ^ distance]
    print(f"distance {distance:2}: threads 0 to 3 have {held[:4]}")
assert (held == np.arange(32).sum()).all()

# %% [markdown]
# That order is fixed, so a sum on a GPU has the same bits each time. They are not those of the
# processor, whose order is another one; both are within the same bound.
#
# ## On a device
#
# An array lives on a device, and an operator runs where its arrays are. This machine may have no GPU;
# an emulation runs the same kernels in the same order, on threads of this process.

# %%
with ng.config(gpu="emulated"):
    there = ng.array(x, device=ng.gpu())
    result = smooth_l1(there)
    print(result.device, result)
    np.testing.assert_array_equal(result.asnumpy(), smooth_l1(x))

# %% [markdown]
# ## How far to trust text that has not run here
#
# In the tests every operator's kernels, gradients included, are compiled to machine code, where
# nothing may spill from registers to memory. The text itself is run in two ways: compiled for this
# processor, one thread after another; and in Numba's simulator, in real threads, where each access
# is looked at. Ask an operator what is known of it:

# %%
on_gpu
