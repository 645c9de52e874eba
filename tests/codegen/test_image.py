"""Object files placed without LLVM: the same code as LLVM's own linker gives, or declined."""

from __future__ import annotations

import ctypes
import gc
import platform
import struct
import sys
from pathlib import Path

import pytest

from nbgraph.codegen import cache, host, image, optimise, target
from nbgraph.errors import CompileError
from tests.support import run_python

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64" or sys.platform != "linux", reason="ELF for x86-64"
)
MAPS = Path("/proc/self/maps")
KERNEL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
# constants, a table, a call within, a call of the C library, an address of one as a value
TEXT = """
@table = private constant [4 x double] [double 1.5, double 2.5, double 4.5, double 8.5], align 64
@outside = private constant [2 x ptr] [ptr @lgamma, ptr @abs]
declare double @lgamma(double)
declare i32 @abs(i32)
define internal double @part(i64 %i) noinline {
  %at = getelementptr double, ptr @table, i64 %i
  %x = load double, ptr %at
  %y = fmul double %x, 0x400921FB54442D18
  ret double %y
}
define i64 @first(i64 %a, i64 %lo, i64 %hi) {
  %x = call double @part(i64 %a)
  %y = call double @lgamma(double %x)
  %z = fmul double %y, 1.0e6
  %r = fptosi double %z to i64
  ret i64 %r
}
define i64 @second(i64 %a, i64 %lo, i64 %hi) {
  %at = getelementptr ptr, ptr @outside, i64 %a
  %f = load ptr, ptr %at
  %n = trunc i64 %lo to i32
  %m = call i32 %f(i32 %n)
  %r = sext i32 %m to i64
  ret i64 %r
}
"""
SYMBOLS = ("first", "second")


@pytest.fixture(scope="module")
def code():
    import llvmlite.binding as llvm

    machine = target.machine()
    return bytes(machine.emit_object(llvm.parse_assembly(TEXT)))


def test_placed_and_linked_code_agree(code):
    placed = image.place(code, SYMBOLS)
    linked = target._linked(code, ("lgamma", "abs"))
    for name in SYMBOLS:
        mine, theirs = KERNEL(placed.addresses[name]), KERNEL(linked.get_function_address(name))
        for a in range(4) if name == "first" else (1,):
            assert mine(a, -7, 3) == theirs(a, -7, 3)
    assert KERNEL(placed.addresses["second"])(1, -7, 0) == 7


def test_memory_is_not_written_and_run_at_once(code):
    placed = image.place(code, SYMBOLS)
    spans = [line.split() for line in MAPS.read_text().splitlines()]
    (permissions,) = [
        s[1]
        for s in spans
        if int(s[0].split("-")[0], 16) <= placed.addresses["first"] < int(s[0].split("-")[1], 16)
    ]
    assert permissions == "r-xp"


def test_code_goes_with_its_object(code):
    def mapped(address):
        spans = [line.split()[0] for line in MAPS.read_text().splitlines()]
        ends = [[int(n, 16) for n in span.split("-")] for span in spans]
        return any(low <= address < high for low, high in ends)

    placed = [image.place(code, SYMBOLS) for _ in range(50)]
    kept = image.place(code, SYMBOLS)
    kept.keep()
    addresses, address = [p.addresses["first"] for p in placed], kept.addresses["first"]
    assert all(map(mapped, addresses))
    del placed, kept
    gc.collect()
    assert sum(map(mapped, addresses)) < 50 and mapped(address)
    assert KERNEL(address)(0, 0, 0) == KERNEL(address)(0, 0, 0)


def test_what_is_strange_is_declined(code):
    assert image.place(code, ("third",)) is None
    assert image.place(b"", SYMBOLS) is None
    assert image.place(b"\xcf\xfa\xed\xfe" + code[4:], SYMBOLS) is None  # Mach-O's mark
    assert image.place(code[:18] + struct.pack("<H", 183) + code[20:], SYMBOLS) is None  # aarch64
    assert image.place(code.replace(b"lgamma\0", b"lgammo\0"), SYMBOLS) is None
    assert image.place(code[:200], SYMBOLS) is None


def test_variables_that_change_are_llvms_business():
    import llvmlite.binding as llvm

    text = """
    @count = internal global i64 0
    define i64 @nbgraph_kernel(i64 %a, i64 %lo, i64 %hi) {
      %n = load i64, ptr @count
      %m = add i64 %n, %a
      store i64 %m, ptr @count
      ret i64 %m
    }
    """
    code = bytes(target.machine().emit_object(llvm.parse_assembly(text)))
    assert image.place(code, (target.SYMBOL,)) is None
    loaded = target.LoadedCode(code, ())
    assert [KERNEL(loaded.address)(5, 0, 0) for _ in range(2)] == [5, 10]


def test_a_missing_function_is_named(code):
    strange = code.replace(b"lgamma\0", b"lgammo\0")
    with pytest.raises(CompileError, match="'lgammo'"):
        target.LoadedCode(strange, ("lgammo", "abs"), SYMBOLS)


def test_the_host_is_found_again_without_llvm(own_cache):
    """By what the system says; LLVM, asked once, is not loaded by the second process."""
    program = (
        "import sys; from nbgraph.codegen import host; print(*host.host(), sep='|'); "
        "print('llvmlite.binding' in sys.modules)"
    )
    seen = [run_python("-c", program).split("\n") for _ in range(2)]
    assert seen[0][0] == seen[1][0] == "|".join(host.ask())
    assert (seen[0][1], seen[1][1]) == ("True", "False")


def test_another_version_of_a_compiler_asks_again(own_cache, monkeypatch):
    """The record names which compilers are installed; the key of code names their versions."""
    kept: dict[str, bytes] = {}
    monkeypatch.setattr(cache, "recall", kept.get)
    monkeypatch.setattr(cache, "remember", kept.__setitem__)
    ask = host.host.__wrapped__
    assert ask() == ask() and len(kept) == 1
    monkeypatch.setattr(host, "_installed", lambda package: f"another {package}")
    ask()
    assert len(kept) == 2
    before = target.host()
    monkeypatch.setattr(target, "_host", lambda: host.host()._replace(llvm="0.51.0 23.1.0"))
    assert target.host() != before


def test_what_nobody_has_is_named_before_it_is_called():
    """Code generators call functions of a compiler's run time that the text does not declare."""
    text = "define i64 @nbgraph_kernel(i64 %a, i64 %lo, i64 %hi) {\n"
    text += "  %r = call i64 @no_such_function(i64 %a)\n  ret i64 %r\n}\n"
    module = optimise.optimised("declare i64 @no_such_function(i64)\n" + text, "kernel")
    code = bytes(target.machine().emit_object(module))
    assert image.undefined(code) == ["no_such_function"]
    with pytest.raises(CompileError, match="needs 'no_such_function', which this system lacks"):
        target.LoadedCode(code, ())


CALLER = """
declare i64 @helper(i64)
declare i32 @abs(i32)
@places = private constant [2 x ptr] [ptr @helper, ptr @nbgraph_kernel]
define i64 @nbgraph_kernel(i64 %a, i64 %lo, i64 %hi) {
  %f = load ptr, ptr @places
  %x = call i64 @helper(i64 %a)
  %y = call i64 %f(i64 %x)
  ret i64 %y
}
"""
HELPER = """
@table = private constant [2 x i64] [i64 7, i64 -9], align 64
declare i32 @abs(i32)
define internal i64 @own(i64 %a) noinline {
  %n = trunc i64 %a to i32
  %m = call i32 @abs(i32 %n)
  %r = sext i32 %m to i64
  ret i64 %r
}
define i64 @helper(i64 %a) {
  %at = getelementptr i64, ptr @table, i64 1
  %x = load i64, ptr %at
  %y = mul i64 %x, %a
  %r = call i64 @own(i64 %y)
  ret i64 %r
}
"""


def test_files_call_each_other():
    """What one asks for and another defines is nobody else's business, in either order."""
    import llvmlite.binding as llvm

    machine = target.machine()
    files = [bytes(machine.emit_object(llvm.parse_assembly(t))) for t in (CALLER, HELPER)]
    assert image.separated(image.joined(files)) == files
    assert image.joined(files[:1]) == files[0] and image.undefined(files[0]) == ["helper"]
    for order in (files, files[::-1]):
        code = image.joined(order)
        assert image.undefined(code) == ["abs"]
        placed = image.place(code, (target.SYMBOL,))
        linked = target._linked(code, ())
        for call in (placed.addresses[target.SYMBOL], linked.get_function_address(target.SYMBOL)):
            assert KERNEL(call)(-2, 0, 0) == 9 * 18
