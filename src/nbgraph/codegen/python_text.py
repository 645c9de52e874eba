"""LLVM text of functions that Python calls, or that use Python objects.

They use CPython's stable interface only: no function relies on the layout of objects.
"""

from nbgraph.codegen.text import Function


class PythonFunction(Function):
    """A writer of such a function, by default one of the vector-call convention.

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
        """Return the result of a call with pointers, or arguments with a type such as "i64 0"."""
        typed = [a if " " in a else f"ptr {a}" for a in arguments]
        return self.value(f"call {kind} {function}({', '.join(typed)})")

    def item(self, several: str, place: str | int) -> str:
        """Return an item of a tuple."""
        return self.call("ptr", "@PyTuple_GetItem", several, f"i64 {place}")

    def asked(self, function: str, thing: str) -> str:
        """Return the result of a Python function of an object: a reference, or null on an error."""
        call = "call ptr (ptr, ...) @PyObject_CallFunctionObjArgs"
        return self.value(f"{call}(ptr {function}, ptr {thing}, ptr null)")

    def integer(self, thing: str) -> str:
        """Return the value of a Python int, or -1 on an error."""
        return self.call("i64", "@PyLong_AsSsize_t", thing)

    def type_of(self, thing: str) -> str:
        """Return the class of an object, without a reference: the object keeps it alive."""
        return self.drop(self.call("ptr", "@PyObject_Type", thing))

    def keep(self, thing: str) -> str:
        """Take a reference; return the object."""
        self.do(f"call void @Py_IncRef(ptr {thing})")
        return thing

    def drop(self, thing: str) -> str:
        """Drop a reference; return the object."""
        self.do(f"call void @Py_DecRef(ptr {thing})")
        return thing

    def is_some(self, thing: str) -> str:
        """Return whether a pointer is not null."""
        return self.compare("ne", thing, "null", "ptr")

    def is_same(self, a: str, b: str) -> str:
        """Return whether two pointers are equal."""
        return self.compare("eq", a, b, "ptr")

    def require_no_error(self, label: str) -> None:
        """Jump to a label if a Python exception is set."""
        self.require(self.is_same(self.call("ptr", "@PyErr_Occurred"), "null"), label)

    def copy(self, target: str, source: str, nbytes: str) -> None:
        """Copy memory of any alignment."""
        copied = f"ptr {target}, ptr align 1 {source}, i64 {nbytes}, i1 false"
        self.do(f"call void @llvm.memcpy.p0.p0.i64({copied})")

    def address(self, memory: str) -> str:
        """Return the address of memory, as an argument of a function."""
        return f"i64 {self.value(f'ptrtoint ptr {memory} to i64')}"
