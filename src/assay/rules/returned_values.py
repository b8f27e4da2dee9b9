"""Looks at what masked functions return in a run of unit tests: does an object decide itself what it equals?

Grading puts a copy of this file into the folder of one run, and a decorator above each masked function. It
runs in the task's own Python (3.6 or newer).

What it does not cover: code of the submission runs in the same process and can undo it. It sees no objects
inside arrays and other compiled objects, none that methods of an object make later, and none that a function
puts into its arguments.
"""

import functools
import sys
import types
from collections import deque
from itertools import chain, islice
from typing import Any, Callable, Dict, Generator, Iterable, Iterator, List, Optional, Tuple

from .code_origins import entry, is_compiled, is_helper, is_trusted, mro, name_of, namespace
from .watched_run import report

MOST_ITEMS = 1000
MOST_DEPTH = 4
COMPARING = ("__eq__", "__ne__", "__sub__", "__rsub__", "__array_ufunc__", "__array_function__")
DECIDING = (*COMPARING, "__class__", "__getattribute__")
OPERATORS = (*DECIDING, "__lt__", "__le__", "__gt__", "__ge__")
"""Methods that are told what an object is compared with, and what such methods ask the object. Those that
only order do not count in attributes, where many programs keep entries of queues."""
CONTAINERS = (list, tuple, set, frozenset, deque)
PLAIN = frozenset(map(id, (type(None), bool, int, float, complex, str, bytes, *CONTAINERS, dict)))
WITHOUT_ATTRIBUTES = (type, types.ModuleType, types.FunctionType, types.MethodType, types.BuiltinFunctionType)


class Plain:
    """Says nothing about what its objects equal."""


STRANGERS = (
    *(object(), Plain(), None, True, False),
    *(982451653, -77003, 7.0193e11, -3.3e-7),
    *("stranger 1", "stranger 2", b"stranger 1", b"stranger 2"),
    *((7, "x"), (8,), [0.25], ["x", 9], {7: "x"}, {"x": 8}, {7, "x"}, {8}),
)
"""Values of which an honest object equals at most one."""
MADE: Dict[int, Tuple[Any, "ResultWatch", str]] = {}
"""Number of what the decorator made → it, the decorator, and the name of the masked function."""
JUDGED: Dict[Tuple[int, str], Tuple[Any, Any, Optional[str]]] = {}
"""Number of a class, and operator → the class, its method, and what is wrong with it."""
READERS: Dict[int, Tuple[Any, List[Any]]] = {}
"""Number of a class → the class, and the descriptors that read the attributes of its objects."""


class ResultWatch:
    """Makes decorators for the masked functions of one program, which look at their results."""

    def __init__(self, names: Dict[str, Any]) -> None:
        self.names = names

    def __call__(self, name: str) -> Callable[[Any], Any]:
        """A decorator that looks at the results of a function, or of what another decorator made of it."""
        return functools.partial(self.checked, name)

    def checked(self, name: str, value: Any) -> Any:
        """A value whose results are looked at, whatever kind of function it is."""
        if id(value) in MADE:
            return value
        kind, made = type(value), value
        if kind is types.FunctionType:
            made = checked_function(name, value)
        elif kind in (staticmethod, classmethod):
            made = kind(self.checked(name, value.__func__))
        elif kind is property:
            made = property(self.checked(name, value.fget), value.fset, value.fdel, value.__doc__)
        elif any("__call__" in namespace(base) or "__get__" in namespace(base) for base in mro(kind)):
            is_data = any("__set__" in namespace(base) for base in mro(kind))
            made = (CheckedData if is_data else CheckedObject)(name, value)
        if made is not value:
            MADE[id(made)] = made, self, name
        return made

    def bind_again(self, functions: List[str]) -> None:
        """Look at the results of what the program has bound to these names in the end, too."""
        module = sys.modules.get(self.names["__name__"])
        for names in (self.names, getattr(module, "__dict__", self.names)):
            for function in functions:
                owner, _, label = function.rpartition(".")
                base = entry(names, owner)
                if label in names and not owner:
                    names[label] = self.checked(function, names[label])
                elif isinstance(base, type):
                    self.bind_method(base, function, label)
                elif base is not None:
                    setattr(base, label, self.checked(function, getattr(base, label)))

    def bind_method(self, base: Any, function: str, label: str) -> None:
        """Look at the results of what a class has under a name, or inherits."""
        values = [namespace(parent)[label] for parent in mro(base) if label in namespace(parent)]
        if values and id(values[0]) not in MADE:
            type.__setattr__(base, label, self.checked(function, values[0]))


def checked_function(name: str, function: Any) -> Any:
    """A function whose results are looked at; it has the same attributes, also those that come later."""
    attributes = function.__dict__

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        return looked_at(name, function(*args, **options), (*args, *options.values()))

    if attributes:
        call.__dict__ = attributes
    return call


def looked_at(name: str, result: Any, arguments: Tuple[Any, ...]) -> Any:
    """The result of a call, which is looked at when it is there."""
    if type(result) is types.GeneratorType:
        return yielded(name, result)
    if type(result) is types.CoroutineType:
        return awaited(name, result)
    return look(name, result, arguments)


class CheckedObject:
    """An object other than a function that can be called or that is an attribute of a class."""

    def __init__(self, name: str, value: Any) -> None:
        object.__setattr__(self, "_checked", (name, value))

    def __call__(self, *args: Any, **options: Any) -> Any:
        """The result of the object."""
        name, value = object.__getattribute__(self, "_checked")
        return looked_at(name, value(*args, **options), (*args, *options.values()))

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """The attribute of an object, or the method of it."""
        name, value = object.__getattribute__(self, "_checked")
        if not hasattr(type(value), "__get__"):
            return self
        result = value.__get__(instance, owner)
        if result is value:
            return self
        looked_at(name, result, ())
        is_method = isinstance(result, METHODS) or (callable(value) and callable(result))
        return CheckedObject(name, result) if is_method else result

    def __set_name__(self, owner: Any, label: str) -> None:
        value = object.__getattribute__(self, "_checked")[1]
        if hasattr(type(value), "__set_name__"):
            value.__set_name__(owner, label)

    def __getattribute__(self, label: str) -> Any:
        return getattr(object.__getattribute__(self, "_checked")[1], label)

    def __setattr__(self, label: str, content: Any) -> None:
        setattr(object.__getattribute__(self, "_checked")[1], label, content)

    def __eq__(self, other: Any) -> Any:
        return object.__getattribute__(self, "_checked")[1] == other

    def __hash__(self) -> int:
        return hash(object.__getattribute__(self, "_checked")[1])

    def __repr__(self) -> str:
        return repr(object.__getattribute__(self, "_checked")[1])

    def __reduce_ex__(self, protocol: Any) -> Any:
        return object.__getattribute__(self, "_checked")[1].__reduce_ex__(protocol)


class CheckedData(CheckedObject):
    """An object that also decides what it means to set an attribute."""

    def __set__(self, instance: Any, content: Any) -> None:
        object.__getattribute__(self, "_checked")[1].__set__(instance, content)

    def __delete__(self, instance: Any) -> None:
        object.__getattribute__(self, "_checked")[1].__delete__(instance)


METHODS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType, functools.partial)


async def awaited(name: str, result: Any) -> Any:
    """What a coroutine returns, looked at."""
    return look(name, await result)


def yielded(name: str, generator: Any) -> Generator[Any, Any, Any]:
    """A generator whose items, and the value that it returns, are looked at."""
    go_on: Callable[[Any], Any] = generator.send
    sent: Any = None
    while True:
        try:
            item = go_on(sent)
        except StopIteration as stop:
            return look(name, stop.value)
        look(name, item)
        try:
            go_on, sent = generator.send, (yield item)
        except GeneratorExit:
            generator.close()
            raise
        except BaseException as error:
            go_on, sent = generator.throw, error


def look(name: str, result: Any, arguments: Tuple[Any, ...] = ()) -> Any:
    """The result; it is reported if something in it decides itself what it equals."""
    try:
        for value, is_attribute in within(result, arguments):
            if id(type(value)) in PLAIN:
                continue
            operators = DECIDING if is_attribute else OPERATORS
            why = why_forged(type(value), operators) or equals_strangers(value)
            if why is not None:
                report("%s returned %s, so its comparisons show nothing" % (name, why))
    except (RecursionError, MemoryError):
        raise
    except Exception as error:
        report("%s returned an object that cannot be looked at (%s)" % (name, type(error).__name__))
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
        for name, member in list(namespace(base).items()):
            is_dict = name == "__dict__" and type(member) is types.GetSetDescriptorType
            if is_dict or type(member) is types.MemberDescriptorType:
                yield member


def is_for_tests(kind: Any) -> bool:
    """Whether a class is one of a package for tests."""
    return any(is_helper(base, None) for base in mro(kind))


def why_forged(kind: Any, operators: Iterable[str]) -> Optional[str]:
    """Which class of an object decides what it equals; None if the object is what it seems."""
    for base in mro(kind):
        for operator in operators:
            method = namespace(base).get(operator)
            if method is None or is_masked(base, operator, method):
                continue
            key = (id(base), operator)
            if key not in JUDGED or JUDGED[key][1] is not method:
                JUDGED[key] = base, method, judged(base, operator, method)
            if JUDGED[key][2] is not None:
                return JUDGED[key][2]
    return None


def is_masked(base: Any, operator: str, method: Any) -> bool:
    """Whether a method is a masked function of its own class, which the tests judge."""
    if id(method) not in MADE:
        return False
    _, watch, name = MADE[id(method)]
    owner, _, label = name.rpartition(".")
    return label == operator and entry(watch.names, owner) is base


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


EQUALITY = ("__eq__", "__ne__")


def not_plainly(answer: Any) -> Any:
    """The opposite of yes or no; any other answer as it is."""
    return not answer if type(answer) in (bool, int) else None


def equals_strangers(value: Any) -> Optional[str]:
    """Which class of an object says that it equals things that differ; None if it does not."""
    methods = [(base, label, namespace(base).get(label)) for base in mro(type(value)) for label in EQUALITY]
    if all(method is None or is_compiled(base, label, method) for base, label, method in methods):
        return None  # comparisons of arrays and other compiled classes take long, and nobody forges them
    equal = 0
    for stranger in STRANGERS:
        try:
            answers = [value == stranger, not_plainly(stranger != value)]
        except Exception:
            continue
        equal += any(type(answer) in (bool, int) and answer for answer in answers)
    return None if equal < 2 else "an object of %s.%s, which equals values that differ" % name_of(type(value))
