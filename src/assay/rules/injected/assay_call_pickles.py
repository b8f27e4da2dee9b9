"""Calls as bytes, with functions that have no name of their own and with the marks of modules.

Only sandboxes make and read these bytes, and they come only from runs of the solution.
"""

import importlib
import io
import marshal
import os
import pickle
import sys
import types
from typing import Any, Optional, Set, Tuple

PROTOCOL = 4
HIDDEN: Set[str] = set()
"""Files whose code no call may contain: the submission gets the calls, and the code would be the solution."""


def pickled(value: Any) -> bytes:
    """A value as bytes; whatever cannot be pickled raises."""
    buffer = io.BytesIO()
    _Pickler(buffer, PROTOCOL).dump(value)
    return buffer.getvalue()


def unpickled(data: bytes) -> Any:
    """The value of such bytes."""
    return _Unpickler(io.BytesIO(data)).load()


class _Pickler(pickle.Pickler):
    def persistent_id(self, value: Any) -> Optional[Tuple[Any, ...]]:
        """How to find or make again what pickle itself does not keep."""
        kind = type(value)
        if kind is object:
            return _mark(value)
        if kind is types.ModuleType:
            return ("module", value.__name__)
        if kind is types.FunctionType and not _is_importable(value):
            if os.path.realpath(value.__code__.co_filename) in HIDDEN:
                raise pickle.PicklingError("a function from a file with masked functions")
            cells = tuple(cell.cell_contents for cell in value.__closure__ or ())
            code, module = marshal.dumps(value.__code__), value.__globals__["__name__"]
            return ("function", code, module, value.__name__, value.__defaults__, value.__kwdefaults__, cells)
        return None


class _Unpickler(pickle.Unpickler):
    def persistent_load(self, key: Tuple[Any, ...]) -> Any:
        """What the pickler described."""
        kind, *details = key
        if kind == "module":
            return importlib.import_module(details[0])
        if kind == "mark":
            return getattr(importlib.import_module(details[0]), details[1])
        code, module, name, defaults, named_defaults, contents = details
        cells = tuple(_cell(content) for content in contents)
        names = importlib.import_module(module).__dict__
        function = types.FunctionType(marshal.loads(code), names, name, defaults, cells)
        function.__kwdefaults__ = named_defaults
        return function


def _cell(content: Any) -> Any:
    closure: Any = (lambda: content).__closure__
    return closure[0]


def _is_importable(function: Any) -> bool:
    value: Any = sys.modules.get(function.__module__)
    for name in function.__qualname__.split("."):
        value = getattr(value, name, None)
    return value is function and function.__module__ != "__main__"


def _mark(value: Any) -> Optional[Tuple[str, str, str]]:
    """Where an object that is only itself is found, such as `MISSING = object()`."""
    for name, module in list(sys.modules.items()):
        for label, candidate in list(getattr(module, "__dict__", {}).items()):
            if candidate is value:
                return ("mark", name, label)
    raise pickle.PicklingError("an object that no module names")
