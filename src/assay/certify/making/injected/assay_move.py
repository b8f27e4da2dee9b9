"""A function's outputs moved by one part in ten million: what it returns, and what it changes in place.

The probe uses it in the sandbox. Attributes, elements and entries of an argument that a call left with other
numbers are moved where they stand, so that whoever else holds the argument sees it too.
"""

from __future__ import annotations

import functools
import inspect
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.certify.making.injected.assay_summary import Summary, summarise
else:
    from assay_summary import Summary, summarise

Function = Callable[..., Any]

PART = 1e-7
SHARE = 0.5
"""Looking at arguments may take this share of the time that has gone by; calls beyond it are left alone."""
DEPTH = 4
PARTS = 1000
"""An argument with more parts than this is looked at as a whole."""

_started = time.process_time()
moved_floats: dict[str, int] = {}
"""Function → how many floats (an array counts as one) were moved in all of its calls."""


def perturb(name: str) -> Callable[[Function], Function]:
    """Move every float that a function returns, up or down in turn."""
    return functools.partial(_moving, name, False)


def perturb_all(name: str) -> Callable[[Function], Function]:
    """Move also every float that a function leaves changed in its arguments, which takes longer."""
    return functools.partial(_moving, name, True)


def _moving(name: str, in_place: bool, function: Function) -> Function:
    moved_floats.setdefault(name, 0)
    calls, spent = 0, 0.0

    @functools.wraps(function)
    def moved(*given: Any, **named: Any) -> Any:
        nonlocal calls, spent
        calls += 1
        mover = Mover(calls)
        began = time.process_time()
        look = in_place and spent < 0.2 + SHARE * (began - _started - spent)
        arguments = [*given, *named.values()] if look else []
        before = [_snapshot(each) for each in arguments]
        spent += time.process_time() - began
        result = function(*given, **named)
        began = time.process_time()
        for argument, old in zip(arguments, before, strict=True):
            mover.changed(argument, old)
        spent += time.process_time() - began
        if not any(result is each for each in arguments):
            result = mover.moved(result, calls, 0)
        moved_floats[name] += mover.count
        return result

    moved.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return moved


def _parts(value: Any) -> dict[Any, Any]:
    """What can be put into a value piece by piece: attributes, elements, entries."""
    if type(value) is list and len(value) <= PARTS:
        return dict(enumerate(value))
    if type(value) is dict and len(value) <= PARTS:
        return value
    own = getattr(value, "__dict__", None)
    return own if isinstance(own, dict) and not isinstance(value, type) and not callable(value) else {}


def _snapshot(value: Any) -> tuple[Summary, dict[Any, Summary]]:
    """Summaries of a value and of its parts, taken before a call."""
    return summarise(value), {key: summarise(part) for key, part in _parts(value).items()}


class Mover:
    """Moves floats and counts them."""

    def __init__(self, place: int) -> None:
        self.place, self.count = place, 0

    def changed(self, value: Any, before: tuple[Summary, dict[Any, Summary]]) -> None:
        """Move, where it stands, what a call changed of an argument."""
        whole, parts = before
        if _is_array(value):
            if summarise(value) != whole:
                self.in_place(value)
            return
        for key, part in list(_parts(value).items()):
            if parts.get(key) != summarise(part):
                self.put(value, key, part)

    def put(self, holder: Any, key: Any, part: Any) -> None:
        """A part moved: in place if it can be, else put anew."""
        if _is_array(part):
            self.in_place(part)
        elif _parts(part):
            for inner, each in list(_parts(part).items()):
                self.put(part, inner, each)
        else:
            new = self.moved(part, self.place + self.count, 0)
            if isinstance(holder, list | dict):
                holder[key] = new
            else:
                vars(holder)[key] = new

    def in_place(self, array: Any) -> None:
        """An array's own floats, where they can be written."""
        if array.dtype.kind in "fc" and array.size and array.flags.writeable:
            self.count += 1
            array *= 1 + _signs(array) * PART

    def moved(self, value: Any, place: int, depth: int) -> Any:
        """A value like this one, its floats moved."""
        sign = 1 if (place * 40503 >> 7) & 1 else -1
        if isinstance(value, float | complex):
            self.count += 1
            made: Any = value * (1 + sign * PART)
            return type(value)(made)
        if _is_array(value):
            if value.dtype.kind not in "fc" or not value.size:
                return value
            self.count += 1
            return (value * (1 + _signs(value) * PART)).astype(value.dtype).view(type(value))
        if depth > DEPTH:
            return value
        if isinstance(value, tuple):
            parts = [self.moved(each, place + number, depth + 1) for number, each in enumerate(value)]
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        if type(value) is list:
            return [self.moved(each, place + number, depth + 1) for number, each in enumerate(value)]
        if type(value) is dict:
            pairs = enumerate(value.items())
            return {key: self.moved(each, place + at, depth + 1) for at, (key, each) in pairs}
        return value


def _is_array(value: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def _signs(array: Any) -> Any:
    numpy = sys.modules["numpy"]
    return numpy.where(numpy.arange(array.size).reshape(array.shape) * 40503 >> 7 & 1, 1.0, -1.0)
