"""LLVM text of functions that Python calls, or that look at Python's objects.

They use CPython's stable interface alone: no function relies on the layout of objects.
"""

from __future__ import annotations

from nbgraph.codegen.text import Function


class PythonFunction(Function):
    """Writes such a function; by default one of the vector-call convention.

    >>> first = PythonFunction()
    >>> first.text(f"ret ptr {first.item('%self', 0)}").splitlines()[2]
    '  %v1 = call ptr @PyTuple_GetItem(ptr %self, i64 0)'
    """

    def __init__(
        self,
        result: str = "ptr",
        arguments: str = "ptr %self, ptr %args, i64 %nargs",
        *name: str,
    ) -> None:
        super().__init__(result, arguments, *name)

    def call(self, kind: str, function: str, *arguments: str) -> str:
        """Return what a function gives for pointers, and of what says its kind, as "i64 0"."""
        typed = [a if " " in a else f"ptr {a}" for a in arguments]
        return self.value(f"call {kind} {function}({', '.join(typed)})")

    def item(self, several: str, place: str | int) -> str:
        """Return an item of a tuple."""
        return self.call("ptr", "@PyTuple_GetItem", several, f"i64 {place}")

    def asked(self, function: str, thing: str) -> str:
        """Return what a Python function gives for an object: a reference, or null with an error."""
        call = "call ptr (ptr, ...) @PyObject_CallFunctionObjArgs"
        return self.value(f"{call}(ptr {function}, ptr {thing}, ptr null)")

    def integer(self, thing: str) -> str:
        """Return an int of Python's, or -1 with an error."""
        return self.call("i64", "@PyLong_AsSsize_t", thing)

    def type_of(self, thing: str) -> str:
        """Return the class of an object, which holds it."""
        return self.drop(self.call("ptr", "@PyObject_Type", thing))

    def keep(self, thing: str) -> str:
        """Take a reference; return the object."""
        self.do(f"call void @Py_IncRef(ptr {thing})")
        return thing

    def drop(self, thing: str) -> str:
        """Give up a reference; return the object."""
        self.do(f"call void @Py_DecRef(ptr {thing})")
        return thing

    def is_some(self, thing: str) -> str:
        """Return whether a pointer is not null."""
        return self.compare("ne", thing, "null", "ptr")

    def is_same(self, a: str, b: str) -> str:
        """Return whether two pointers are one."""
        return self.compare("eq", a, b, "ptr")

    def require_no_error(self, label: str) -> None:
        """Go on where nothing was raised, else at a label."""
        self.require(self.is_same(self.call("ptr", "@PyErr_Occurred"), "null"), label)

    def copy(self, target: str, source: str, nbytes: str) -> None:
        """Copy memory, which may lie anywhere."""
        copied = f"ptr {target}, ptr align 1 {source}, i64 {nbytes}, i1 false"
        self.do(f"call void @llvm.memcpy.p0.p0.i64({copied})")

    def address(self, memory: str) -> str:
        """Return where memory lies, as an argument of a function."""
        return f"i64 {self.value(f'ptrtoint ptr {memory} to i64')}"
