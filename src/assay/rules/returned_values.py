"""Looks at what masked functions return in a run of unit tests: does an object decide itself what it equals?

Grading puts a copy of this file into the folder of one run, and a decorator above each masked function. It
runs in the task's own Python (3.6 or newer).

What it does not cover: code of the submission runs in the same process and can undo it. It sees no objects
inside arrays and other compiled objects, none that methods of an object make later, and none that a function
puts into its arguments.
"""

import functools
import types
from collections import deque
from collections.abc import Generator
from itertools import chain, islice
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple

from .code_origins import is_compiled, is_helper, is_trusted, mro, name_of, namespace
from .watched_run import report

MOST_ITEMS = 1000
MOST_DEPTH = 4
DECIDING = ("__eq__", "__ne__", "__sub__", "__rsub__", "__array_ufunc__", "__array_function__")
OPERATORS = (*DECIDING, "__lt__", "__le__", "__gt__", "__ge__")
"""Methods that are told what an object is compared with. Those that only order do not count in attributes,
where many programs keep entries of queues."""
CONTAINERS = (list, tuple, set, frozenset, deque)
PLAIN = frozenset(map(id, (type(None), bool, int, float, complex, str, bytes, *CONTAINERS, dict)))
WITHOUT_ATTRIBUTES = (type, types.ModuleType, types.FunctionType, types.MethodType, types.BuiltinFunctionType)
STRANGERS = (
    object(),
    object(),
    982451653,
    -77003,
    7.0193e11,
    -3.3e-7,
    "stranger 1",
    "stranger 2",
    (7, "x"),
    [0.25],
)
"""Values of which an honest object equals at most one."""
MASKED: List[Any] = []
"""The functions that the decorator made; what they do is for the tests to judge."""
JUDGED: Dict[Tuple[int, str], Tuple[Any, Any, Optional[str]]] = {}
"""Number of a class, and operator → the class, its method, and what is wrong with it."""
READERS: Dict[int, Tuple[Any, List[Any]]] = {}
"""Number of a class → the class, and the descriptors that read the attributes of its objects."""


def checked(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that looks at the results of a function."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **options: Any) -> Any:
            result = function(*args, **options)
            if type(result) is types.GeneratorType:
                return CheckedGenerator(name, result)
            if type(result) is types.CoroutineType:
                return awaited(name, result)
            return look(name, result, (*args, *options.values()))

        MASKED.append(call)
        return call

    return decorate


async def awaited(name: str, result: Any) -> Any:
    """What a coroutine returns, looked at."""
    return look(name, await result)


class CheckedGenerator(Generator):  # type: ignore[type-arg]
    """A generator whose items are looked at."""

    def __init__(self, name: str, generator: Any) -> None:
        self._name, self._generator = name, generator

    def send(self, value: Any) -> Any:
        """The next item."""
        return look(self._name, self._generator.send(value))

    def throw(self, *error: Any) -> Any:
        """The next item after an error."""
        return look(self._name, self._generator.throw(*error))


def look(name: str, result: Any, arguments: Tuple[Any, ...] = ()) -> Any:
    """The result; it is reported if something in it decides itself what it equals."""
    for value, is_attribute in within(result, arguments):
        if id(type(value)) in PLAIN:
            continue
        operators = DECIDING if is_attribute else OPERATORS
        why = why_forged(type(value), operators) or equals_strangers(value)
        if why is not None:
            report("%s returned %s, so its comparisons show nothing" % (name, why))
    return result


def within(value: Any, arguments: Tuple[Any, ...]) -> Iterator[Tuple[Any, bool]]:
    """A value and what is inside it, as far as it is looked at; and whether it is part of an attribute.

    An object for tests that the tests handed over may come back.
    """
    waiting = [(value, False, 0)]
    for item, is_attribute, depth in waiting:
        if any(item is argument for argument in arguments) and is_for_tests(type(item)):
            continue
        yield item, is_attribute
        if depth < MOST_DEPTH:
            inner = chain(
                ((part, is_attribute, depth + 1) for part in items(item)),
                ((part, True, depth + 1) for part in attributes(item)),
            )
            waiting += islice(inner, max(0, MOST_ITEMS - len(waiting)))


def items(value: Any) -> Iterable[Any]:
    """The items of a container, whatever its class says about them."""
    if issubclass(type(value), dict):
        return chain(dict.keys(value), dict.values(value))
    for kind in CONTAINERS:
        if issubclass(type(value), kind):
            return kind.__iter__(value)
    return ()


def attributes(value: Any) -> Iterator[Any]:
    """The attributes that an object itself has, whatever its class says about them."""
    kind = type(value)
    if id(kind) in PLAIN or issubclass(kind, WITHOUT_ATTRIBUTES):
        return
    if id(kind) not in READERS:
        READERS[id(kind)] = kind, list(readers(kind))
    for reader in READERS[id(kind)][1]:
        try:
            content = reader.__get__(value)
        except Exception:  # a slot without a value
            continue
        if type(reader) is types.MemberDescriptorType:
            yield content
        elif issubclass(type(content), dict):
            yield from list(dict.values(content))


def readers(kind: Any) -> Iterator[Any]:
    """The descriptors of a class that lead to the attributes of an object: its slots and its dict."""
    for base in mro(kind):
        for name, entry in list(namespace(base).items()):
            is_dict = name == "__dict__" and type(entry) is types.GetSetDescriptorType
            if is_dict or type(entry) is types.MemberDescriptorType:
                yield entry


def is_for_tests(kind: Any) -> bool:
    """Whether a class is one of a package for tests."""
    return any(is_helper(base, None) for base in mro(kind))


def why_forged(kind: Any, operators: Iterable[str]) -> Optional[str]:
    """Which class of an object decides what it equals; None if the object is what it seems."""
    for base in mro(kind):
        for operator in operators:
            method = namespace(base).get(operator)
            if method is None or any(method is function for function in MASKED):
                continue
            key = (id(base), operator)
            if key not in JUDGED or JUDGED[key][1] is not method:
                JUDGED[key] = base, method, judged(base, operator, method)
            if JUDGED[key][2] is not None:
                return JUDGED[key][2]
    return None


def judged(base: Any, operator: str, method: Any) -> Optional[str]:
    """What is wrong with a method of a class that compares."""
    module, name = name_of(base)
    if is_helper(base, method):
        return "an object of %s.%s" % (module, name)
    if is_trusted(base, operator, method):
        return None
    return "an object whose class %s defines %s by code that is neither given nor installed" % (
        name,
        operator,
    )


def equals_strangers(value: Any) -> Optional[str]:
    """Which class of an object says that it equals things that differ; None if it does not."""
    methods = [(base, namespace(base).get("__eq__")) for base in mro(type(value))]
    if all(method is None or is_compiled(base, method) for base, method in methods):
        return None  # comparisons of arrays and other compiled classes take long, and nobody forges them
    equal = 0
    for stranger in STRANGERS:
        try:
            equal += (value == stranger) is True or (stranger == value) is True
        except Exception:
            continue
    return None if equal < 2 else "an object of %s.%s, which equals values that differ" % name_of(type(value))
