"""Runs the program of unit tests with the solution, and keeps the arguments of calls of some functions.

Python itself reports each call (`sys.settrace`), so the functions stay as they are. A function inside
another function cannot be called from outside, so the calls of the outermost one are kept.

Usage: python assay_record_calls.py PROGRAM ARGUMENT...

What it does not cover: calls in other processes, calls after a test has set another trace function, and
arguments that cannot be pickled.
"""

import ast
import inspect
import json
import os
import pickle
import runpy
import sys
import threading
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Set, Tuple

if TYPE_CHECKING:
    from assay.rules.injected.assay_call_pickles import HIDDEN, pickled
else:
    from assay_call_pickles import HIDDEN, pickled

HERE = Path(__file__).resolve().parent
MOST_CALLS = 40
MOST_BYTES = 60000
"""Bytes of one call."""
ATTEMPTS = 100
"""After so many calls without an end, only every second one is looked at."""
GENERATOR = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class CallRecorder:
    """The calls of one function."""

    def __init__(self, file: str, function: str) -> None:
        self.file, self.function = os.path.realpath(file), function.partition(".<locals>.")[0]
        self.lines = _first_lines(file, self.function)
        self.module: Optional[str] = None
        self.start: Optional[int] = None
        self.seen, self.stride, self.attempts = 0, 1, 0
        self.unkept = ""
        """Why a call could not be kept."""
        self.calls: Dict[bytes, None] = {}
        self.defaults: Dict[str, Any] = {}

    def matches(self, code: Any) -> bool:
        """Whether this is the code of the function."""
        name = self.function.rpartition(".")[2]
        return (
            code.co_name == name
            and code.co_firstlineno in self.lines
            and os.path.realpath(code.co_filename) == self.file
        )

    def note(self, frame: Any) -> None:
        """Keep the arguments of a call that begins now."""
        if self.module is None:
            self.module = frame.f_globals.get("__name__")
            self.start = frame.f_lasti
            self.defaults = _defaults(frame.f_code)
        if frame.f_code.co_flags & GENERATOR and frame.f_lasti != self.start:
            return  # a generator continues
        self.seen += 1
        if self.seen % self.stride:
            return
        self.attempts += 1
        if self.attempts % ATTEMPTS == 0:
            self.stride *= 2
        try:
            data = pickled(_arguments(frame, self.defaults))
        except Exception as error:
            self.unkept = "%s: %s" % (type(error).__name__, error)
            return
        if len(data) > MOST_BYTES:
            self.unkept = "an argument of more than %d bytes" % MOST_BYTES
            return
        self.calls[data] = None
        if len(self.calls) > 2 * MOST_CALLS:
            self.calls = dict.fromkeys(list(self.calls)[::2])
            self.stride *= 2

    def report(self) -> Dict[str, Any]:
        """Where the function is and how it is called, and its calls."""
        calls = list(self.calls)
        step = max(1.0, len(calls) / MOST_CALLS)
        selection = [calls[int(number * step)] for number in range(min(len(calls), MOST_CALLS))]
        return {
            "file": self.file,
            "function": self.function,
            "module": self.module,
            "kind": _kind(self.module, self.function),
            "seen": self.seen,
            "unkept": self.unkept,
            "calls": selection,
        }


def _first_lines(file: str, function: str) -> Set[int]:
    """The lines in which definitions of a function begin."""
    lines = set()
    waiting: List[Tuple[str, ast.AST]] = [("", ast.parse(Path(file).read_bytes()))]
    while waiting:
        prefix, node = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if prefix + child.name == function:
                    lines.update([child.lineno, *(part.lineno for part in child.decorator_list)])
            else:
                class_name = child.name + "." if isinstance(child, ast.ClassDef) else ""
                waiting.append((prefix + class_name, child))
    return lines


def _defaults(code: Any) -> Dict[str, Any]:
    """What the parameters of a function are if a call does not name them."""
    import gc

    for function in gc.get_referrers(code):
        if isinstance(function, types.FunctionType) and function.__code__ is code:
            values = function.__defaults__ or ()
            names = code.co_varnames[: code.co_argcount][code.co_argcount - len(values) :]
            return dict(zip(names, values), **(function.__kwdefaults__ or {}))
    return {}


def _arguments(frame: Any, defaults: Dict[str, Any]) -> Dict[str, List[Tuple[str, Any]]]:
    """The arguments of a call; those that are the defaults are left out at the end."""
    code, values = frame.f_code, frame.f_locals
    names = list(code.co_varnames)
    count, end = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    positional = [(name, values[name]) for name in names[:count]]
    named = [(name, values[name]) for name in names[count:end]]
    named = [pair for pair in named if not _is_default(pair, defaults)]
    extra: Tuple[Any, ...] = ()
    if code.co_flags & inspect.CO_VARARGS:
        extra = values[names[end]]
        end += 1
    if code.co_flags & inspect.CO_VARKEYWORDS:
        named += sorted(values[names[end]].items())
    while not extra and positional and _is_default(positional[-1], defaults):
        positional.pop()
    positional += [("*%d" % number, value) for number, value in enumerate(extra)]
    return {"positional": positional, "named": named}


def _is_default(pair: Tuple[str, Any], defaults: Dict[str, Any]) -> bool:
    return pair[0] in defaults and defaults[pair[0]] is pair[1]


def _kind(module: Optional[str], function: str) -> str:
    """How a function is called from outside."""
    owner: Any = sys.modules.get(module or "")
    *outer, name = function.split(".")
    for part in outer:
        owner = getattr(owner, part, None)
    if not isinstance(owner, type):
        return "function"
    name = "_%s%s" % (outer[-1].lstrip("_"), name) if name[:2] == "__" and name[-2:] != "__" else name
    attribute = vars(owner).get(name)
    for kind, label in ((staticmethod, "static"), (classmethod, "class"), (types.FunctionType, "method")):
        if isinstance(attribute, kind):
            return label
    is_called = callable(attribute) or not hasattr(type(attribute), "__get__")
    return "method" if is_called else "attribute"


class Follower:
    """The trace function: finds the calls of the functions among all calls."""

    def __init__(self, recorders: List[CallRecorder]) -> None:
        self.recorders = recorders
        self.known: Dict[int, Tuple[Any, Optional[CallRecorder]]] = {}

    def __call__(self, frame: Any, event: str, argument: Any) -> None:
        code = frame.f_code
        if id(code) not in self.known:
            self.known[id(code)] = (
                code,
                next((recorder for recorder in self.recorders if recorder.matches(code)), None),
            )
        recorder = self.known[id(code)][1]
        if recorder is not None:
            recorder.note(frame)


def paths_from_here() -> List[str]:
    """Where Python looks for modules; folders of the workspace are named from there."""
    folder = str(Path.cwd())
    return [
        os.path.relpath(path, folder) if (path + "/").startswith(folder + "/") else path for path in sys.path
    ]


def main(program: str, arguments: List[str]) -> None:
    """Run the program, and keep the calls."""
    request = json.loads((HERE / "request.json").read_text())
    recorders = [CallRecorder(part["file"], part["function"]) for part in request["functions"]]
    HIDDEN.update(recorder.file for recorder in recorders)
    sys.argv, sys.path[0] = [program, *arguments], str(Path.cwd())
    follower = Follower(recorders)
    threading.settrace(follower)
    sys.settrace(follower)
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit:
        pass
    finally:
        sys.settrace(None)
        report = {"paths": paths_from_here(), "functions": [recorder.report() for recorder in recorders]}
        (HERE / "recorded.pickle").write_bytes(pickle.dumps(report, 4))
        sys.stdout.flush()
        os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
