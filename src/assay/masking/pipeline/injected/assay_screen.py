"""Many versions of a function tried on the calls of one run, each in a forked child that nothing outlives.

The probe uses it in the sandbox. A child has all of the run's memory and none of its effects, files aside; it
calls one version on the arguments of a real call and tells a summary of what comes out. The first version is
the function as it is: a call on which even that comes out differently says nothing of the others.
"""

import functools
import json
import os
import random
import signal
import time
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

if TYPE_CHECKING:
    from assay.masking.pipeline.injected.assay_summary import Summary, alike, summarise
else:
    from assay_summary import Summary, alike, summarise

Function = Callable[..., Any]

CALLS = 10
"""So many calls are tried, the first four and then every one whose number is a power of two."""
CALL_SECONDS = 2.0
NEW_LOCALS = 0x02
"""The flag of code that is a function's and no class's."""

outcomes: Dict[str, List[Optional[str]]] = {}
"""Function → of each version: "same", "raised", what it gave where that differs, or None where not tried."""


def screen(name: str) -> Callable[[Function], Function]:
    """Try the versions that were given for a function on its first calls; the run itself goes on as ever."""
    request = json.loads((Path(os.environ["ASSAY_PROBE"]) / "given" / "versions.json").read_text())

    def decorate(function: Function) -> Function:
        version_functions = [version(text, function) for text in request["versions"][name]]
        screening = _Screening(name, version_functions, request["seconds"])

        @functools.wraps(function)
        def screened(*positional: Any, **named: Any) -> Any:
            if screening.trying is not None:
                return screening.trying(*positional, **named)
            screening.calls += 1
            number = screening.calls
            if screening.done or (number > 4 and number & (number - 1)):
                return function(*positional, **named)
            return screening.call(function, positional, named)

        return screened

    return decorate


def version(text: str, function: Any) -> Optional[Function]:
    """The function with another body, its defaults, closure and globals kept; None where that cannot be."""
    try:
        code = _function_code(compile(text, function.__code__.co_filename, "exec"), function.__code__.co_name)
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
        closure = tuple(cells[name] for name in code.co_freevars)
        version_function = types.FunctionType(
            code, function.__globals__, code.co_name, function.__defaults__, closure
        )
    except (SyntaxError, ValueError, LookupError, AttributeError):
        return None
    version_function.__kwdefaults__ = function.__kwdefaults__
    return version_function


def _function_code(code: types.CodeType, name: str) -> types.CodeType:
    """The function's own code, behind that of the module and of the class around it."""
    inner = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    matching = [
        inner_code for inner_code in inner if inner_code.co_name == name and inner_code.co_flags & NEW_LOCALS
    ]
    return matching[-1] if matching else _function_code(inner[-1], name)


class _Screening:
    def __init__(self, name: str, versions: List[Optional[Function]], seconds: float) -> None:
        self.versions, self.seconds = versions, seconds
        self.results = outcomes[name] = [None] * len(versions)
        self.calls = self.tried_calls = 0
        self.spent = 0.0
        self.trying: Optional[Function] = None
        self.inside = False

    @property
    def done(self) -> bool:
        return self.inside or self.tried_calls >= CALLS or self.spent > self.seconds

    def call(self, function: Function, positional: Tuple[Any, ...], named: Dict[str, Any]) -> Any:
        """One call tried with every version that has shown nothing yet, and then made."""
        self.tried_calls += 1
        start_time = time.perf_counter()
        summaries_by_version: Dict[int, Optional[List[Summary]]] = {}
        for number, version_function in enumerate(self.versions):
            if version_function is not None and (number == 0 or self.results[number] in (None, "same")):
                if self.spent + time.perf_counter() - start_time > self.seconds:
                    break
                summaries_by_version[number] = self._fork(version_function, positional, named)
        self.spent += time.perf_counter() - start_time
        self.inside = True
        try:
            result = function(*positional, **named)
        finally:
            self.inside = False
        self._compare(summaries_by_version, summaries(result, positional, named))
        return result

    def _fork(
        self, version_function: Function, positional: Tuple[Any, ...], named: Dict[str, Any]
    ) -> Optional[List[Summary]]:
        """What a version gives, None where it raises or takes too long."""
        reading, writing = os.pipe()
        # Python seeds its own generator again in every child; the version must meet the chance of the call.
        chance = random.getstate()
        child = os.fork()
        if child == 0:
            try:
                random.setstate(chance)
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.setitimer(signal.ITIMER_REAL, CALL_SECONDS)
                nowhere = os.open(os.devnull, os.O_RDWR)
                os.dup2(nowhere, 1)
                os.dup2(nowhere, 2)
                self.trying = version_function
                message = json.dumps(summaries(version_function(*positional, **named), positional, named))
                os.write(writing, message.encode())
            finally:
                os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            said_bytes = pipe.read()
        os.waitpid(child, 0)
        return json.loads(said_bytes) if said_bytes else None

    def _compare(self, summaries_by_version: Dict[int, Optional[List[Summary]]], gold: List[Summary]) -> None:
        control = summaries_by_version.get(0)
        if control is None or not alike(control, gold):
            return
        for number, version_summaries in summaries_by_version.items():
            if version_summaries is None:
                self.results[number] = "raised"
            elif alike(version_summaries, gold):
                self.results[number] = "same"
            else:
                self.results[number] = json.dumps([self.calls, version_summaries])


def summaries(result: Any, positional: Tuple[Any, ...], named: Dict[str, Any]) -> List[Summary]:
    """What a call returned, and its arguments as it left them."""
    return [summarise(value) for value in (result, *positional, *named.values())]
