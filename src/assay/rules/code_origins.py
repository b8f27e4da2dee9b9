"""Where code comes from in a watched run of unit tests: given files, installed packages, or somewhere else.

The name of a file that code claims says nothing, since `compile` takes any name. So code counts as code of a
file if Python compiles the same code from it. Grading puts a copy of this file into the folder of the run. It
runs in the task's own Python (3.6 or newer).

What it does not cover: code that changes the modules of Python or of packages, and a file without a source.
"""

import builtins
import functools
import hashlib
import os
import sys
import sysconfig
import types
from typing import Any, Dict, FrozenSet, Iterator, NamedTuple, Optional, Tuple

from .watched_run import FOLDER, SETTINGS

WRAPPER: Any = type(object.__eq__)
DESCRIPTOR: Any = type(str.join)
IN_C = (WRAPPER, DESCRIPTOR, types.GetSetDescriptorType)
"""Methods of types in C; Python code cannot make one."""
COMPILED = ("cython_function_or_method", "fused_cython_function")
"""Names of the types of methods that only compiled modules make."""
BUILTINS = dict(vars(builtins))
HELPERS = frozenset({"pytest", "_pytest", "unittest", "mock", "hypothesis", "test", "dirty_equals", "nose"})
"""Packages for tests, with objects that equal what they are not."""
MOST_WRAPPERS = 5
FROZEN = "<frozen "
ORDERED = frozenset(pair for pairs in getattr(functools, "_convert", {}).values() for pair in pairs)
"""Operator and function that `functools.total_ordering` adds to a class, whose own comparison it uses."""
KnownCode = NamedTuple(
    "KnownCode", [("codes", FrozenSet[Any]), ("names", FrozenSet[str]), ("mentioned", FrozenSet[str])]
)
"""The code in a file without its lines, the dotted names of its classes and functions, and the names that
its statements use, such as those that it imports."""
EMPTY = KnownCode(frozenset(), frozenset(), frozenset())


def mro(kind: Any) -> Tuple[Any, ...]:
    """The classes that Python asks for the methods of an object, whatever its metaclass says.

    Python 3.8 has types in C for which it knows none.
    """
    return type.__dict__["__mro__"].__get__(kind) or ()


def namespace(kind: Any) -> Any:
    """What a class itself defines."""
    return type.__dict__["__dict__"].__get__(kind)


def name_of(kind: Any) -> Tuple[str, str]:
    """Module and name that a class states."""
    module, name = (type.__dict__[label].__get__(kind) for label in ("__module__", "__qualname__"))
    return (module if type(module) is str else "?"), (name if type(name) is str else "?")


def is_compiled(base: Any, operator: str, method: Any) -> bool:
    """Whether a method is that of a type in C or of a compiled module, under its own name."""
    kind = type(method)
    if kind in IN_C:
        return method.__name__ == operator and any(method.__objclass__ is parent for parent in mro(base))
    if kind.__name__ == "instancemethod":  # pybind11 makes its methods so, and ctypes can make one
        method, kind = method.__func__, type(method.__func__)
        return kind is types.BuiltinFunctionType and method.__name__ == operator
    call = namespace(kind).get("__call__")
    is_method = kind.__name__ in COMPILED and type(call) is WRAPPER and call.__objclass__ is kind
    return is_method and method.__name__ == operator


def is_helper(base: Any, method: Any) -> bool:
    """Whether a class or its method belongs to a package for tests."""
    module = sys.modules.get(name_of(base)[0])
    paths = [
        getattr(module, "__file__", None),
        getattr(getattr(method, "__code__", None), "co_filename", None),
    ]
    return any(not HELPERS.isdisjoint(packages(path)) for path in paths if isinstance(path, str))


def is_trusted(base: Any, operator: str, method: Any) -> bool:
    """Whether a class compares by code that was given, or that is installed."""
    if is_compiled(base, operator, method) or is_generated(base, operator, method):
        return True
    if type(method) is property:
        method = method.fget
    if type(method) is not types.FunctionType:
        module = sys.modules.get(name_of(base)[0])
        return is_installed(str(getattr(module, "__file__", ""))) and is_of_its_module(base, None)
    if (operator, method) in ORDERED:
        return True
    path = method.__code__.co_filename
    named = method.__code__.co_name == operator or is_of_its_module(base, path) or is_of_package(base, path)
    return named and is_genuine(method)


def is_genuine(function: Any, depth: int = 0) -> bool:
    """Whether a function, and those that it wraps, are what Python makes of a given or installed file."""
    modules = list(sys.modules.values())
    if not any(getattr(module, "__dict__", None) is function.__globals__ for module in modules):
        return False
    code = function.__code__
    if form(code) not in source_in(code.co_filename).codes:
        return False
    wrapped = [content for content in contents(function) if isinstance(content, WRAPPED)]
    return depth < MOST_WRAPPERS and all(
        type(content) is types.FunctionType and is_genuine(content, depth + 1) for content in wrapped
    )


WRAPPED = (types.FunctionType, types.MethodType, functools.partial)


def contents(function: Any) -> Iterator[Any]:
    """The variables that a function has from the functions around it."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:
            continue


def is_of_its_module(base: Any, code_path: Optional[str]) -> bool:
    """Whether a class is one that the source of its module, or of its code, has under its name."""
    path, name = module_path(base), name_of(base)[1]
    if path is None:
        return False
    if not path.endswith(".py"):
        return is_installed(path)
    return any(name in source_in(place).names for place in (path, code_path) if place is not None)


def is_of_package(base: Any, code_path: str) -> bool:
    """Whether a class and its code belong to the same installed package, whose module mentions the class."""
    path = module_path(base)
    if path is None or not (is_installed(path) and is_installed(code_path)):
        return False
    mentioned = source_in(path).mentioned
    return packages(path)[0] == packages(code_path)[0] and name_of(base)[1] in mentioned


def module_path(base: Any) -> Optional[str]:
    """The file of the module that a class states, if the class is there under its name."""
    module_name, name = name_of(base)
    module = sys.modules.get(module_name)
    path = getattr(module, "__file__", None)
    is_there = entry(getattr(module, "__dict__", {}), name) is base
    return path if is_there and isinstance(path, str) else None


def entry(names: Any, dotted: str) -> Any:
    """What is bound to a dotted name, without asking any object for its attributes."""
    first, *inner = dotted.split(".")
    value = names.get(first)
    for part in inner:
        value = namespace(value).get(part) if isinstance(value, type) else None
    return value


def is_generated(base: Any, operator: str, method: Any) -> bool:
    """Whether dataclasses or attrs make the same method for a class with these fields."""
    if not str(getattr(getattr(method, "__code__", None), "co_filename", "")).startswith("<"):
        return False
    for make in (again_as_dataclass, again_with_attrs):
        try:
            remade = namespace(make(base))[operator].__code__
        except Exception:
            continue
        if form(remade) == form(method.__code__):
            return has_builtins(method)
    return False


def has_builtins(function: Any) -> bool:
    """Whether the names of Python mean in a function what they mean everywhere."""
    names = function.__globals__
    others = names.get("__builtins__", builtins)
    others = others if type(others) is dict else vars(others)
    used = [name for name in function.__code__.co_names if name in BUILTINS]
    return all(names.get(name, others.get(name)) is BUILTINS[name] for name in used)


def again_as_dataclass(base: Any) -> Any:
    """A dataclass with the fields of another one."""
    dataclasses = sys.modules["dataclasses"]
    fields = [
        (field.name, object, dataclasses.field(compare=field.compare)) for field in dataclasses.fields(base)
    ]
    return dataclasses.make_dataclass("Again", fields, order=True)


def again_with_attrs(base: Any) -> Any:
    """A class of attrs with the fields of another one."""
    attr = sys.modules["attr"]
    fields = {}
    for field in base.__attrs_attrs__:
        keys = {name: getattr(field, name + "_key", None) for name in ("eq", "order")}
        fields[field.name] = attr.ib(eq=keys["eq"] or field.eq, order=keys["order"] or field.order)
    return attr.make_class("Again", fields, order=True)


@functools.lru_cache(maxsize=4096)
def source_in(path: str) -> KnownCode:
    """What Python compiles from a file, if it was given or is installed."""
    if path.startswith(FROZEN):
        module = path[len(FROZEN) : -1].replace(".", "/")
        path = os.path.join(sysconfig.get_paths()["stdlib"], module + ".py")
    inside = relative(path)
    source = SETTINGS["sources"].get(inside)
    try:
        if source is None:
            with open(path, "rb") as file:
                source = file.read()
            is_given = SETTINGS["given"].get(inside) == hashlib.sha256(source).hexdigest()
            if not is_given and not is_installed(path):
                return EMPTY
        code = compile(source, path, "exec", dont_inherit=True)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return EMPTY
    codes = dict(nested_codes(code))
    return KnownCode(frozenset(map(form, codes)), frozenset(codes.values()), frozenset(code.co_names))


def nested_codes(code: Any, prefix: str = "") -> Iterator[Tuple[Any, str]]:
    """The code of every class and function, with its dotted name."""
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            name = prefix + constant.co_name
            yield constant, name
            yield from nested_codes(constant, name + ".")


@functools.lru_cache(maxsize=65536)
def form(code: Any) -> Any:
    """What code does, without its file, its lines, and what `from __future__` marks in it."""
    constants = tuple(
        form(value) if isinstance(value, types.CodeType) else constant(value) for value in code.co_consts
    )
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    counts = (code.co_argcount, code.co_kwonlyargcount, code.co_flags & 0x3FF)
    return hash((code.co_name, code.co_code, names, counts, constants)), code.co_name, len(code.co_code)


def constant(value: Any) -> Any:
    """A constant of a program, so that 1, 1.0 and True differ."""
    if isinstance(value, (tuple, frozenset)):
        inner = [constant(item) for item in value]
        return type(value).__name__, tuple(inner) if isinstance(value, tuple) else frozenset(inner)
    return type(value).__name__, repr(value)


def relative(path: str) -> str:
    """A path from the folder of the run."""
    return os.path.relpath(os.path.realpath(path), FOLDER)


def packages(path: str) -> Tuple[str, ...]:
    """The packages of an installed module, with its own name; none for a given file."""
    root = root_of(path)
    inside = "" if root is None else os.path.relpath(os.path.realpath(path), root)
    return tuple(inside.partition(".")[0].split(os.sep))


def is_installed(path: str) -> bool:
    """Whether a file belongs to Python or to an installed package."""
    return root_of(path) is not None


def root_of(path: str) -> Optional[str]:
    """The folder of installed packages that a file is in; the innermost one."""
    place = os.path.realpath(path)
    if place.startswith(FOLDER + os.sep):
        return None
    return next((root for root in ROOTS if place.startswith(root + os.sep)), None)


def installed_folders() -> Tuple[str, ...]:
    """Where modules are found when the run begins, the innermost folder first."""
    stated: Dict[str, str] = sysconfig.get_paths()
    named = [stated[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders = {os.path.realpath(path) for path in (*named, *sys.path) if path and os.path.isdir(path)}
    outside = {path for path in folders if path != "/" and not (FOLDER + os.sep).startswith(path + os.sep)}
    return tuple(sorted(outside, key=len, reverse=True))


ROOTS = installed_folders()
