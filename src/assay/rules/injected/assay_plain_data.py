"""What a call gives as plain data: values of Python as JSON, in a form that other code can compare.

It keeps numbers, text, bytes, sequences, mappings, sets, arrays of every library, the first items of
iterators, and of other objects the class name and the attributes. Lists, tuples, arrays and iterators have
one form.

What it does not cover: what a function does to globals and files, and what an object would answer later.
"""

import datetime
import decimal
import enum
import fractions
import itertools
import pathlib
import sys
import types
import uuid
from collections import abc
from typing import Any, Callable, Dict, List, Tuple

MOST_PARTS = 5000
MOST_DEPTH = 20
MOST_TEXT = 20000
ITERATOR_ITEMS = 50
NUMBERS = (decimal.Decimal, fractions.Fraction)
WORDED = (
    *(uuid.UUID, pathlib.PurePath),
    *(datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo, slice),
)
"""Types whose values are what their text says."""
NAMED = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, type)


class TooManyParts(Exception):
    """A value with more parts than are kept."""


def plain(value: Any) -> Any:
    """A value as plain data; TooManyParts where it is too large."""
    return _Plain().of(value)


class _Plain:
    def __init__(self) -> None:
        self.parts = 0
        self.above: List[int] = []
        """The objects that are being looked at, by number: an object may contain itself."""

    def of(self, value: Any) -> Any:
        self.parts += 1
        if self.parts > MOST_PARTS or len(self.above) > MOST_DEPTH:
            raise TooManyParts("more than %d parts, or deeper than %d" % (MOST_PARTS, MOST_DEPTH))
        if value is None or isinstance(value, (str, bytes, bytearray, bool, int, float, complex)):
            return self.scalar(value)
        if id(value) in self.above:
            return {"again": len(self.above) - self.above.index(id(value))}
        self.above.append(id(value))
        try:
            return self.parts_of(value)
        finally:
            self.above.pop()

    def scalar(self, value: Any) -> Any:
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, int):
            return int(value) if abs(value) < 1 << 1000 else {"number": hex(value)[:MOST_TEXT]}
        if isinstance(value, float):
            is_finite = value - value == 0
            return float(value) if is_finite else {"number": str(float(value))}
        if isinstance(value, complex):
            return {"complex": [self.scalar(value.real), self.scalar(value.imag)]}
        if len(value) > MOST_TEXT:
            raise TooManyParts("a text of more than %d characters" % MOST_TEXT)
        if isinstance(value, str):
            return str(value).encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        return {"bytes": bytes(value).hex()}

    def parts_of(self, value: Any) -> Any:
        if isinstance(value, NAMED):
            return {"named": type(value).__name__}
        if isinstance(value, enum.Enum):
            return {"enum": "%s.%s" % (type(value).__name__, value.name)}
        if isinstance(value, NUMBERS):
            return int(value) if value == value // 1 else self.scalar(float(value))
        if isinstance(value, WORDED):
            return {"words": "%s %s" % (type(value).__name__, value)}
        if isinstance(value, BaseException):
            return {"error": type(value).__name__, "arguments": self.items(value.args)}
        if _is_array(value):
            return self.of(_numbers_of(value))
        if isinstance(value, (list, tuple, range, abc.KeysView, abc.ItemsView, abc.ValuesView)):
            return {"list": self.items(value)}
        if isinstance(value, abc.Mapping):
            return {"dict": [[self.of(key), self.of(value[key])] for key in value]}
        if isinstance(value, abc.Set):
            return {"set": self.items(value)}
        if isinstance(value, types.CoroutineType):
            return self.awaited(value)
        if (isinstance(value, abc.Iterator) and not hasattr(value, "close")) or _is_generator(value):
            return {"list": self.items(itertools.islice(value, ITERATOR_ITEMS))}
        if isinstance(value, abc.Sequence):
            return {"list": self.items(value)}
        return self.object(value)

    def items(self, values: Any) -> List[Any]:
        return [self.of(item) for item in values]

    def awaited(self, value: Any) -> Any:
        """What a coroutine returns, if it waits for nothing."""
        try:
            value.send(None)
        except StopIteration as end:
            return self.of(end.value)
        value.close()
        return {"object": "coroutine"}

    def object(self, value: Any) -> Any:
        parts: Dict[str, Any] = {"object": type(value).__name__}
        if isinstance(value, abc.Iterable) and isinstance(value, abc.Sized):
            parts["items"] = self.items(value)
        parts["attributes"] = [[name, self.of(part)] for name, part in sorted(_attributes(value).items())]
        return parts


def _is_generator(value: Any) -> bool:
    return isinstance(value, types.GeneratorType)


def _attributes(value: Any) -> Dict[str, Any]:
    names = dict.fromkeys(getattr(value, "__dict__", ()))
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        names.update(dict.fromkeys((slots,) if isinstance(slots, str) else slots))
    attributes = {}
    for name in names:
        if isinstance(name, str) and not name.startswith("__") and hasattr(value, name):
            attributes[name] = getattr(value, name)
    return attributes


def _is_array(value: Any) -> bool:
    kinds = ("__array__", "__dlpack__", "__array_namespace__")
    return any(hasattr(type(value), name) for name in kinds) and hasattr(value, "shape")


def _numbers_of(value: Any) -> Any:
    """An array of any library as lists of numbers; memory of a GPU takes a copy first."""
    size = 1
    for length in tuple(value.shape):
        size *= int(length)
    if size > MOST_PARTS:
        raise TooManyParts("an array of %d numbers" % size)
    numpy: Any = sys.modules.get("numpy")
    readers: List[Callable[[], Any]] = [
        lambda: value.tolist(),
        lambda: value.detach().cpu().tolist(),
        lambda: value.get().tolist(),
        lambda: numpy.asarray(value).tolist(),
        lambda: numpy.from_dlpack(value).tolist(),
    ]
    for reader in readers:
        try:
            return reader()
        except Exception:
            continue
    raise TooManyParts("an array whose numbers cannot be read")


def loosely(value: Any) -> Any:
    """Plain data without the order of mappings and sets and without the last digits of floats."""
    if isinstance(value, float):
        return float("%.5g" % value)
    if isinstance(value, list):
        return [loosely(part) for part in value]
    if not isinstance(value, dict):
        return value
    parts = {name: loosely(part) for name, part in value.items()}
    return {name: sorted(part, key=repr) if name in ("dict", "set") else part for name, part in parts.items()}


def slots_of(call: Dict[str, List[Tuple[str, Any]]]) -> Dict[str, Any]:
    """The arguments of a call by their names, as plain data."""
    return {name: plain(value) for part in ("positional", "named") for name, value in call[part]}
