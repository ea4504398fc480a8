# SPDX-License-Identifier: MIT
"""Loads libtally. $TALLY_LIBRARY names another file than the installed one."""
import errno
import os

from tally._declarations import ffi, libdir

_NAME = "libtally.so.0"


def _load():
    chosen = os.environ.get("TALLY_LIBRARY")
    if chosen:
        return ffi.dlopen(chosen)
    installed = os.path.join(libdir, _NAME)
    return ffi.dlopen(installed if os.path.exists(installed) else _NAME)


lib = _load()


class Error(OSError):
    """An error of the library: `errno`, and a message that says what is wrong and where."""

    def __init__(self, code, message):
        super().__init__(code, message)
        self.message = message

    def __str__(self):
        return self.message


def text(chars):
    """Returns the text of a C string; None for NULL."""
    return None if chars == ffi.NULL else ffi.string(chars).decode("utf-8", "replace")


def chars(value):
    """Returns a C string that lives as long as the result; NULL for None."""
    return ffi.NULL if value is None else ffi.new("char[]", os.fsencode(value))


def new_error():
    return ffi.new("struct tally_error *")


def check(result, error=None, what=None):
    """Returns a result that is not negative, or raises Error."""
    if result >= 0:
        return result
    message = text(error.message) if error is not None else ""
    message = message or (f"{what}: " if what else "") + os.strerror(-result)
    raise Error(-result, message)


def options(struct):
    """Returns a zeroed option struct whose `size` is set."""
    new = ffi.new(f"struct {struct} *")
    new.size = ffi.sizeof(f"struct {struct}")
    return new


def strings(values):
    """Returns an array of C strings, and what keeps them alive."""
    kept = [chars(value) for value in values]
    return ffi.new("char *[]", kept) if kept else ffi.NULL, kept


def no_memory(pointer, what):
    if pointer == ffi.NULL:
        raise Error(errno.ENOMEM, f"out of memory for {what}")
    return pointer


def create(kind, function, *arguments):
    """Calls a function whose last parameters are `kind **out` and an error. Returns *out."""
    out, error = ffi.new(kind + " **"), new_error()
    check(function(*arguments, out, error), error)
    return out[0]


def members(struct):
    """Returns {name: value} of a struct."""
    kind = ffi.typeof(struct)
    fields = (kind.item if kind.kind == "pointer" else kind).fields
    return {name: getattr(struct, name) for name, _ in fields}


def evaluated_counters(pipeline):
    """Returns the indices in the set of the counters that a pipeline evaluates."""
    found = ffi.new("const size_t **")
    count = lib.tally_pipeline_counters(pipeline, found)
    return list(found[0][0:count])


def enum_names(enum, name_of):
    """Returns {value: name} of an enum, by the library's function."""
    names = {value: text(name_of(value)) for value in ffi.typeof(f"enum {enum}").elements}
    return {value: name for value, name in names.items() if name is not None}
