"""The words of the entry of routes, and the functions that it is made of, as LLVM text.

The words are what `entry` tells the text of a route. No function relies on the layout of objects.
"""

from __future__ import annotations

from nbgraph.codegen import builtin
from nbgraph.engine.core.codes import FIXED
from nbgraph.engine.sites import OURS
from nbgraph.kernels.kinds import Word

MOST = 128  # words of a push, record and variables included
MOST_OUTPUTS = 16
LINES = 8  # of user code that a route remembers; a power of two
ARRAY = 0  # the kind of an operand that is not a number; those of numbers are `kernels.kinds.Word`
# Words that are the same for all routes, and those of a route. Behind these lie the lines of user
# code seen last (key and number of each), the `FIXED` words of the push, five words for each
# output, two for each operand (its kind, its place in the record), and the record.
SHARED = (
    "kind frame none no zero closely recorder inside get set a_chunk a_address a_layout a_holder "
    "a_node a_output a_stamp c_device c_core c_variable c_address"
).split()
OWN = "submit operands outputs record core gate device sites place_of attach".split()
AT = {name: i for words in (SHARED, OWN) for i, name in enumerate(words)}
OUTPUT, OPERAND = 5, 2  # words of each
VARIABLES = FIXED + 1  # of a push, before its variables


def load(name: str, into: str, kind: str = "i64") -> str:
    """Return text that loads a word of all routes or of this one into %into."""
    return builtin.load("%s" if name in SHARED else "%d", AT[name], into, kind)


PARTS = f"""

; what a slot holds, a new reference, or null with an error
define internal ptr @got(ptr %s, i64 %slot, ptr %object) {{
  %descriptor.at = getelementptr i64, ptr %s, i64 %slot
  %descriptor = load ptr, ptr %descriptor.at, align 1
  {load("get", "get", "ptr")}
  %found = call ptr %get(ptr %descriptor, ptr %object, ptr null)
  ret ptr %found
}}

; the same, of an object that goes on holding it
define internal ptr @seen(ptr %s, i64 %slot, ptr %object) {{
  %found = call ptr @got(ptr %s, i64 %slot, ptr %object)
  %missing = icmp eq ptr %found, null
  br i1 %missing, label %done, label %let_go
let_go:
  call void @Py_DecRef(ptr %found)
  br label %done
done:
  ret ptr %found
}}

; a slot's integer, or -1 with an error
define internal i64 @number(ptr %s, i64 %slot, ptr %object) {{
  %found = call ptr @seen(ptr %s, i64 %slot, ptr %object)
  %missing = icmp eq ptr %found, null
  br i1 %missing, label %lost, label %read
read:
  %value = call i64 @PyLong_AsSsize_t(ptr %found)
  ret i64 %value
lost:
  ret i64 -1
}}

define internal i32 @put(ptr %s, i64 %slot, ptr %object, ptr %value) {{
  %descriptor.at = getelementptr i64, ptr %s, i64 %slot
  %descriptor = load ptr, ptr %descriptor.at, align 1
  {load("set", "set", "ptr")}
  %failed = call i32 %set(ptr %descriptor, ptr %object, ptr %value)
  ret i32 %failed
}}

; the number of a place, that of the nearest frame outside the package, or -1 with an error
define internal i64 @site(ptr %d, ptr %place, i1 %is_frame) {{
  br i1 %is_frame, label %look, label %given
given:
  %same = call i64 @PyLong_AsSsize_t(ptr %place)
  ret i64 %same
look:
  br label %level
level:
  %at = phi ptr [%place, %look], [%outer, %further]
  %code = call ptr @PyFrame_GetCode(ptr %at)
  call void @Py_DecRef(ptr %code)
  %last = call i32 @PyFrame_GetLasti(ptr %at)
  %wide = sext i32 %last to i64
  %high = shl i64 %wide, 48
  %low = ptrtoint ptr %code to i64
  %word = add i64 %low, %high
  %half = lshr i64 %wide, 1
  %which = and i64 %half, {LINES - 1}
  %lines = getelementptr i64, ptr %d, i64 {len(OWN)}
  %line = getelementptr [2 x i64], ptr %lines, i64 %which
  %number.at = getelementptr i64, ptr %line, i64 1
  %before = load i64, ptr %line, align 1
  %again = icmp eq i64 %before, %word
  br i1 %again, label %remembered, label %search
remembered:
  %old = load i64, ptr %number.at, align 1
  ret i64 %old
search:
  %key = call ptr @PyLong_FromLongLong(i64 %word)
  {load("sites", "sites", "ptr")}
  %found = call ptr @PyDict_GetItemWithError(ptr %sites, ptr %key)
  call void @Py_DecRef(ptr %key)
  %new = icmp eq ptr %found, null
  br i1 %new, label %ask, label %known
known:
  %number = call i64 @PyLong_AsSsize_t(ptr %found)
  %is_ours = icmp eq i64 %number, {OURS}
  br i1 %is_ours, label %back, label %users
back:
  %outer = call ptr @PyFrame_GetBack(ptr %at)
  %outermost = icmp eq ptr %outer, null
  br i1 %outermost, label %ask, label %further
further:
  call void @Py_DecRef(ptr %outer) ; it runs, so it stays
  br label %level
users:
  store i64 %word, ptr %line, align 1
  store i64 %number, ptr %number.at, align 1
  ret i64 %number
ask:
  {load("place_of", "place_of", "ptr")}
  %told = call ptr (ptr, ...) @PyObject_CallFunctionObjArgs(ptr %place_of, ptr %place, ptr null)
  %failed = icmp eq ptr %told, null
  br i1 %failed, label %lost, label %answer
answer:
  %fresh = call i64 @PyLong_AsSsize_t(ptr %told)
  call void @Py_DecRef(ptr %told)
  ret i64 %fresh
lost:
  ret i64 -1
}}

; sees to it that a chunk's variable is known to the engine's core; false with an error
define internal i1 @attached(ptr %s, ptr %d, ptr %chunk) {{
  %core = call ptr @seen(ptr %s, i64 {AT["c_core"]}, ptr %chunk)
  {load("core", "own", "ptr")}
  %home = icmp eq ptr %core, %own
  br i1 %home, label %yes, label %lost_or_foreign
lost_or_foreign:
  %missing = icmp eq ptr %core, null
  br i1 %missing, label %no, label %bring
bring:
  {load("attach", "attach", "ptr")}
  %done = call ptr (ptr, ...) @PyObject_CallFunctionObjArgs(ptr %attach, ptr %chunk, ptr null)
  %failed = icmp eq ptr %done, null
  br i1 %failed, label %no, label %brought
brought:
  call void @Py_DecRef(ptr %done)
  br label %yes
yes:
  ret i1 true
no:
  ret i1 false
}}

; an array operand: its address, its variable among the %count words at %variables if it is not
; there yet; whether it is as the route wants it
define internal i1 @array(ptr %s, ptr %d, ptr %object, ptr %variables, ptr %count.at,
                          ptr %record) {{
  %chunk = call ptr @seen(ptr %s, i64 {AT["a_chunk"]}, ptr %object)
  %missing = icmp eq ptr %chunk, null
  br i1 %missing, label %no, label %where
where:
  %home = call i1 @attached(ptr %s, ptr %d, ptr %chunk)
  br i1 %home, label %what, label %no
what:
  %device = call ptr @seen(ptr %s, i64 {AT["c_device"]}, ptr %chunk)
  {load("device", "mine", "ptr")}
  %here = icmp eq ptr %device, %mine
  br i1 %here, label %numbers, label %no
numbers:
  %address = call i64 @number(ptr %s, i64 {AT["a_address"]}, ptr %object)
  %variable = call i64 @number(ptr %s, i64 {AT["c_variable"]}, ptr %chunk)
  store i64 %address, ptr %record
  %word = shl i64 %variable, 2
  %bad1 = icmp eq i64 %address, -1
  %bad2 = icmp eq i64 %variable, -1
  %bad = or i1 %bad1, %bad2
  br i1 %bad, label %no, label %distinct
distinct:
  %count = load i64, ptr %count.at
  br label %each
each:
  %k = phi i64 [0, %distinct], [%k_next, %other]
  %at = getelementptr i64, ptr %variables, i64 %k
  %more = icmp slt i64 %k, %count
  br i1 %more, label %compare, label %enter
compare:
  %earlier = load i64, ptr %at
  %k_next = add i64 %k, 1
  %again = icmp eq i64 %earlier, %word
  br i1 %again, label %yes, label %other
other:
  br label %each
enter:
  store i64 %word, ptr %at
  %one_more = add i64 %count, 1
  store i64 %one_more, ptr %count.at
  br label %yes
yes:
  ret i1 true
no:
  ret i1 false
}}

; a number as a word of the record; whether it is one
define internal i1 @scalar(ptr %object, i64 %kind, ptr %record) {{
  %is_whole = icmp eq i64 %kind, {Word.WHOLE:d}
  br i1 %is_whole, label %whole, label %float
whole:
  %integer = call i64 @PyLong_AsLongLong(ptr %object)
  %odd_integer = icmp eq i64 %integer, -1
  br i1 %odd_integer, label %look, label %fits
float:
  %value = call double @PyFloat_AsDouble(ptr %object)
  %bits = bitcast double %value to i64
  %rounded = fptrunc double %value to float
  %half = bitcast float %rounded to i32
  %extended = sext i32 %half to i64
  %is_single = icmp eq i64 %kind, {Word.SINGLE:d}
  %float_word = select i1 %is_single, i64 %extended, i64 %bits
  %suspect = fcmp oeq double %value, -1.0
  br i1 %suspect, label %look, label %fits
look:
  %looked = phi i64 [%integer, %whole], [%float_word, %float]
  %error = call ptr @PyErr_Occurred()
  %failed = icmp ne ptr %error, null
  br i1 %failed, label %no, label %fits
fits:
  %word = phi i64 [%integer, %whole], [%float_word, %float], [%looked, %look]
  store i64 %word, ptr %record
  ret i1 true
no:
  ret i1 false
}}

; a block for an output: a new reference, or null with an error
define internal ptr @block(ptr %s, ptr %d, ptr %output, ptr %operands) {{
  %list.at = getelementptr i64, ptr %output, i64 1
  %list = load ptr, ptr %list.at, align 1
  %size = call i64 @PyList_Size(ptr %list)
  %some = icmp sgt i64 %size, 0
  br i1 %some, label %pop, label %ask
pop:
  %last = sub i64 %size, 1
  %chunk = call ptr @PyList_GetItem(ptr %list, i64 %last)
  call void @Py_IncRef(ptr %chunk)
  call i32 @PyList_SetSlice(ptr %list, i64 %last, i64 %size, ptr null)
  %takes.at = getelementptr i64, ptr %output, i64 2
  %takes = load ptr, ptr %takes.at, align 1
  %taken = call ptr @PyIter_Next(ptr %takes)
  call void @Py_DecRef(ptr %taken)
  br label %have
ask:
  %take.at = getelementptr i64, ptr %output, i64 3
  %take = load ptr, ptr %take.at, align 1
  %made = call ptr @PyObject_CallObject(ptr %take, ptr %operands)
  %none_made = icmp eq ptr %made, null
  br i1 %none_made, label %lost, label %have
have:
  %block = phi ptr [%chunk, %pop], [%made, %ask]
  %home = call i1 @attached(ptr %s, ptr %d, ptr %block)
  br i1 %home, label %done, label %give_up
give_up:
  call void @Py_DecRef(ptr %block)
  br label %lost
lost:
  ret ptr null
done:
  ret ptr %block
}}

; a new array over a block, whose reference it takes; null with an error
define internal ptr @over(ptr %s, ptr %output, ptr %chunk, ptr %variable.at, ptr %record) {{
  {load("kind", "kind", "ptr")}
  %made = call ptr @PyType_GenericAlloc(ptr %kind, i64 0)
  %failed = icmp eq ptr %made, null
  br i1 %failed, label %lost, label %fill
fill:
  {load("none", "none", "ptr")}
  %layout = load ptr, ptr %output, align 1
  %address = call ptr @got(ptr %s, i64 {AT["c_address"]}, ptr %chunk)
  %word = call i64 @PyLong_AsSsize_t(ptr %address)
  store i64 %word, ptr %record
  call i32 @put(ptr %s, i64 {AT["a_holder"]}, ptr %made, ptr %none)
  call i32 @put(ptr %s, i64 {AT["a_node"]}, ptr %made, ptr %none)
  {load("zero", "zero", "ptr")}
  call i32 @put(ptr %s, i64 {AT["a_output"]}, ptr %made, ptr %zero)
  call i32 @put(ptr %s, i64 {AT["a_stamp"]}, ptr %made, ptr %zero)
  call i32 @put(ptr %s, i64 {AT["a_address"]}, ptr %made, ptr %address)
  call i32 @put(ptr %s, i64 {AT["a_layout"]}, ptr %made, ptr %layout)
  call i32 @put(ptr %s, i64 {AT["a_chunk"]}, ptr %made, ptr %chunk)
  call void @Py_DecRef(ptr %address)
  %variable = call i64 @number(ptr %s, i64 {AT["c_variable"]}, ptr %chunk)
  %shifted = shl i64 %variable, 2
  store i64 %shifted, ptr %variable.at
  br label %lost
lost:
  call void @Py_DecRef(ptr %chunk)
  ret ptr %made
}}
"""
