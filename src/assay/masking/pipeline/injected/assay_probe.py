"""Decorators that a traced run's functions carry: they watch what goes in and out, or move it a little.

It is imported inside the sandbox, by the task's own Python, and knows nothing of Assay. It limits its own
cost: a few calls of each function are watched, and watching may take half as long as everything else.
What it does not see: calls inside processes that end by os._exit, as those of multiprocessing do.
"""

import atexit
import functools
import inspect
import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Set, Tuple

if TYPE_CHECKING:
    from assay.masking.pipeline.injected.assay_move import moved_floats, perturb, perturb_all
    from assay.masking.pipeline.injected.assay_screen import outcomes, screen
    from assay.masking.pipeline.injected.assay_summary import Summary, summarise
    from assay.masking.pipeline.injected.assay_tensor import run_epsilon
else:
    from assay_move import moved_floats, perturb, perturb_all
    from assay_screen import outcomes, screen
    from assay_summary import Summary, summarise
    from assay_tensor import run_epsilon

__all__ = ["lines", "perturb", "perturb_all", "screen", "trace"]

Function = Callable[..., Any]

FIRST_CALLS = 16
"""So many calls of each function are watched; after that, the 32nd, the 64th and so on."""
FRAMES = 64
"""So many calls of a function, and of the comprehensions in it, are followed line by line."""
SHARE = 0.5
"""Watching may take this share of the processor time that has gone by, and a moment more; but the first call
of each function is always watched, or a function with large arguments would leave nothing for the others."""

_started = time.process_time()
_spent = 0.0
_records: "Dict[str, _Record]" = {}
_flows: Dict[Tuple[str, str], int] = {}
_producers: Dict[object, str] = {}
_kept_objects: List[object] = []
_lines: Dict[str, Set[int]] = {}
_followed: "Dict[Any, _Reached]" = {}


class _Record:
    def __init__(self, name: str) -> None:
        self.name = name
        self.calls = 0
        self.watched_calls: List[Dict[str, Any]] = []


def trace(name: str) -> Callable[[Function], Function]:
    """Count the calls of a function and watch some of them."""
    record = _records.setdefault(name, _Record(name))

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def traced(*positional: Any, **named: Any) -> Any:
            record.calls += 1
            number = record.calls
            if number > FIRST_CALLS and number & (number - 1):
                return function(*positional, **named)
            return _watch(record, number, function, positional, named)

        return _with_signature(traced, function)

    return decorate


def _with_signature(wrapper: Function, function: Function) -> Function:
    """The wrapper with the signature of what it wraps, for code that asks for them."""
    wrapper.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return wrapper


def _watch(
    record: _Record, number: int, function: Function, positional: Tuple[Any, ...], named: Dict[str, Any]
) -> Any:
    global _spent
    start_time = time.process_time()
    if number > 1 and _spent > 0.05 + SHARE * (start_time - _started - _spent):
        return function(*positional, **named)
    arguments = [*positional, *named.values()]
    before = [summarise(argument) for argument in arguments]
    _consume(record.name, arguments, before)
    watched_call: Dict[str, Any] = {"call": number, "before": before}
    record.watched_calls.append(watched_call)
    _spent += time.process_time() - start_time
    try:
        result = function(*positional, **named)
    except BaseException as error:
        watched_call["raised"] = type(error).__name__
        raise
    start_time = time.process_time()
    watched_call["after"] = [summarise(argument) for argument in arguments]
    watched_call["returned"] = summarise(result)
    _produce(record.name, arguments, watched_call, result)
    _spent += time.process_time() - start_time
    return result


def _consume(name: str, arguments: List[Any], summaries: List[Summary]) -> None:
    keys = [key for value, summary in zip(arguments, summaries) for key in _keys(value, summary)]
    for producer in {_producers[key] for key in keys if key in _producers}:
        if producer != name:
            _flows[producer, name] = _flows.get((producer, name), 0) + 1


def _produce(name: str, arguments: List[Any], watched_call: Dict[str, Any], result: Any) -> None:
    products = [(result, watched_call["returned"])]
    for value, before, after in zip(arguments, watched_call["before"], watched_call["after"]):
        if before != after:
            products.append((value, after))
    if isinstance(result, (tuple, list)) and len(result) <= 8:
        products += [(part, summarise(part)) for part in result]
    for value, summary in products:
        for key in _keys(value, summary):
            _producers[key] = name
        if hasattr(value, "__dict__"):
            _kept_objects.append(value)


def _keys(value: Any, summary: Summary) -> List[object]:
    """By what a value can be known again: its contents if they are telling, itself if it is an object."""
    keys: List[object] = []
    telling = summary[3] >= 2 or (isinstance(value, float) and not value.is_integer())
    if telling and not hasattr(value, "__dict__"):
        keys.append((summary[1], summary[2]))
    if hasattr(value, "__dict__"):
        keys.append(id(value))
    return keys


def lines(name: str) -> Callable[[Function], Function]:
    """Note which lines the first calls of a function reach, counted from its first one."""

    def decorate(function: Function) -> Function:
        note = _Reached(_lines.setdefault(name, set()), function.__code__.co_firstlineno)
        _followed.update(dict.fromkeys(_codes(function.__code__), note))

        @functools.wraps(function)
        def followed(*positional: Any, **named: Any) -> Any:
            if note.frames > FRAMES or sys.gettrace() is not None:
                return function(*positional, **named)
            sys.settrace(_enter)
            try:
                return function(*positional, **named)
            finally:
                sys.settrace(None)

        return _with_signature(followed, function)

    return decorate


class _Reached:
    def __init__(self, lines: Set[int], first: int) -> None:
        self.lines, self.first, self.frames = lines, first, 0

    def note(self, frame: Any, event: str, argument: Any) -> Any:
        if event == "line":
            self.lines.add(frame.f_lineno - self.first)
        return self.note


def _enter(frame: Any, event: str, argument: Any) -> Any:
    """Called by Python for every new frame; follows those of the functions that are to be followed."""
    reached = _followed.get(frame.f_code)
    if reached is None or reached.frames > FRAMES:
        return None
    reached.frames += 1
    return reached.note(frame, event, argument)


def _codes(code: Any) -> List[Any]:
    """A function's code and that of the comprehensions and functions inside it."""
    inner = [constant for constant in code.co_consts if hasattr(constant, "co_firstlineno")]
    return [code, *(inner_code for part in inner for inner_code in _codes(part))]


def _reset_records() -> None:
    for record in _records.values():
        record.calls = 0
        record.watched_calls.clear()


def _write() -> None:
    """Leave what was seen where the harness collects it."""
    place = os.environ.get("ASSAY_PROBE")
    called = any(record.calls for record in _records.values())
    if not place or not (_lines or outcomes or moved_floats or called):
        return
    folder = Path(place)
    folder.mkdir(parents=True, exist_ok=True)
    functions = {
        record.name: [record.calls, record.watched_calls] for record in _records.values() if record.calls
    }
    flows = [[*pair, count] for pair, count in _flows.items()]
    (folder / f"{os.getpid()}-{int(time.time() * 1e9)}.json").write_text(
        json.dumps(
            {
                "functions": functions,
                "flows": flows,
                "lines": {name: sorted(line_numbers) for name, line_numbers in _lines.items()},
                "screened": outcomes,
                "moved": moved_floats,
                "epsilon": run_epsilon(),
            }
        )
    )


sys.setrecursionlimit(2 * sys.getrecursionlimit())
atexit.register(_write)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_records)
