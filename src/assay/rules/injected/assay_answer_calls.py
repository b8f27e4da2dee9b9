"""Makes calls, each in a child process, and writes what each gives as plain data, one line of JSON each.

It runs in a sandbox, once with the solution and once with a submission, and is told no answer.

Usage: python assay_answer_calls.py CALLS ANSWERS SECONDS   (processor time of one call)

What it does not cover: with a submission, everything in this process belongs to the submission. What it
writes counts as its answers and as nothing else.
"""

import base64
import importlib
import json
import os
import resource
import select
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List

if TYPE_CHECKING:
    from assay.rules.injected.assay_call_pickles import unpickled
    from assay.rules.injected.assay_plain_data import TooManyParts, loosely, plain, slots_of
else:
    from assay_call_pickles import unpickled
    from assay_plain_data import TooManyParts, loosely, plain, slots_of

ANY_ERROR = (Exception, BaseException, object)
WALL_SECONDS = 10.0
"""Time on the clock for one call."""
MOST_MEMORY = 1 << 30
"""Bytes that one call may take more than the process has."""
MOST_BYTES = 100000
"""Bytes of one answer."""
MOST_WITHOUT_ANSWER = 10
"""After so many calls of a function that end at a limit, it is called no more."""


def static(owner: Any, name: str) -> Any:
    """What a class has under a name, without the rules of attributes."""
    for parent in owner.__mro__:
        if name in vars(parent):
            return vars(parent)[name]
    raise AttributeError(name)


def result_of(function: Dict[str, Any], call: Dict[str, Any]) -> Any:
    """What a call gives."""
    owner: Any = importlib.import_module(function["module"])
    *outer, name = function["function"].split(".")
    for part in outer:
        owner = getattr(owner, part)
    values = [value for _, value in call["positional"]]
    options = dict(call["named"])
    if function["kind"] == "function":
        return getattr(owner, name)(*values, **options)
    if name.startswith("__") and not name.endswith("__"):
        name = "_%s%s" % (outer[-1].lstrip("_"), name)
    attribute = static(owner, name)
    if function["kind"] == "static":
        return getattr(owner, name)(*values, **options)
    if not values:
        values = [options.pop(next(iter(options)))]
    receiver, values = values[0], values[1:]
    if function["kind"] == "class":
        return attribute.__get__(None, receiver)(*values, **options)
    bound = attribute.__get__(receiver, type(receiver)) if hasattr(type(attribute), "__get__") else attribute
    return bound if function["kind"] == "attribute" else bound(*values, **options)


def answer_of(function: Dict[str, Any], data: bytes) -> Dict[str, Any]:
    """What a call gives, and what it changes in its arguments."""
    call = unpickled(data)
    before = slots_of(unpickled(data))
    answer: Dict[str, Any] = {}
    try:
        answer["value"] = plain(result_of(function, call))
    except TooManyParts:
        raise
    except BaseException as error:
        answer["raised"] = [kind.__name__ for kind in type(error).__mro__ if kind not in ANY_ERROR]
    answer["after"] = slots_of(call)
    answer["changed"] = [name for name, value in answer["after"].items() if value != before[name]]
    if "value" in answer:
        given = loosely(answer["value"])
        answer["handed_back"] = [name for name, value in before.items() if loosely(value) == given]
    return answer


def answer_apart(function: Dict[str, Any], data: bytes, seconds: float) -> bytes:
    """The answer of one call as a line, made in a child that nothing outlives; empty if it has none."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            limit_child(seconds)
            try:
                answer = answer_of(function, data)
            except Exception as error:
                answer = {"unread": "%s: %s" % (type(error).__name__, str(error)[:200])}
            line = json.dumps(answer).encode()
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(line if len(line) <= MOST_BYTES else b'{"unread": "it is too long"}')
        finally:
            os._exit(0)
    os.close(writing)
    line = b""
    end = time.monotonic() + WALL_SECONDS
    while time.monotonic() < end and len(line) <= MOST_BYTES:
        if not select.select([reading], [], [], max(0.0, end - time.monotonic()))[0]:
            break
        part = os.read(reading, 1 << 16)
        if not part:
            break
        line += part
    os.close(reading)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return line


def limit_child(seconds: float) -> None:
    """Limit processor time and memory, and let nothing be printed."""
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MOST_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)


def main(calls_file: str, answers_file: str, seconds: float) -> None:
    """Make all calls."""
    request = json.loads(Path(calls_file).read_text())
    sys.path[:] = [str(Path(path).absolute()) for path in request["paths"]]
    calls: List[Any] = [
        (call["id"], request["functions"][call["function"]], base64.b64decode(call["call"]))
        for call in request["calls"]
    ]
    with open(answers_file, "wb") as file:
        for _, function, data in calls:  # what they import is imported once and not in every child process
            try:
                importlib.import_module(function["module"])
                unpickled(data)
            except Exception:
                continue
        without_answer: Dict[str, int] = {}
        for number, function, data in calls:
            name = "%s.%s" % (function["module"], function["function"])
            if without_answer.get(name, 0) >= MOST_WITHOUT_ANSWER:
                continue
            line = answer_apart(function, data, seconds)
            without_answer[name] = without_answer.get(name, 0) + (not line)
            if line:
                file.write(b'{"id": %d, "answer": %s}\n' % (number, line.replace(b"\n", b" ")))
                file.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
