"""Unit tests run with many versions of one function, each in a forked child; the probe uses it.

Python, pytest and the tests are loaded once. A child has all of that memory, replaces the function, runs all
tests and reports how many cases of each pass. What children have in common is the folder of the run: if the
unchanged function gives other results at the end than at the start, no result counts.

Usage: python assay_versions.py FILE...
"""

import functools
import inspect
import json
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional

if TYPE_CHECKING:
    from assay.masking.pipeline.injected import assay_run_tests
    from assay.masking.pipeline.injected.assay_screen import version
else:
    sys.path.insert(0, str(Path(__file__).parent))
    import assay_run_tests
    from assay_screen import version

Function = Callable[..., Any]


class _Choice:
    """The version that a child calls, and how often it raised an error."""

    def __init__(self) -> None:
        self.versions: List[Optional[Function]] = []
        self.replacement: Optional[Function] = None
        self.raised = 0


_choice = _Choice()


def request() -> Dict[str, Any]:
    """Read what is to be tried."""
    text = (Path(os.environ["ASSAY_PROBE"]) / "given" / "versions.json").read_text()
    loaded: Dict[str, Any] = json.loads(text)
    return loaded


def versioned(name: str) -> Callable[[Function], Function]:
    """Let a child replace the function by one of the given versions."""

    def decorate(function: Function) -> Function:
        _choice.versions = [version(text, function) for text in request()["versions"][name]]

        @functools.wraps(function)
        def replacement(*positional: Any, **named: Any) -> Any:
            try:
                return (_choice.replacement or function)(*positional, **named)
            except Exception:
                _choice.raised += 1
                raise

        replacement.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
        return replacement

    return decorate


class ForkedLoop:
    """A plugin of pytest that runs all tests once for each version."""

    def __init__(self, recorder: "assay_run_tests.Recorder", seconds: float) -> None:
        self.recorder, self.seconds = recorder, seconds
        self.results: List[Optional[Dict[str, Any]]] = []

    def pytest_runtestloop(self, session: Any) -> bool:
        """Run the collected tests in a child for each version."""
        for replacement in _choice.versions:
            self.results.append(None if replacement is None else self._fork(session, replacement))
        return True

    def _fork(self, session: Any, replacement: Function) -> Optional[Dict[str, Any]]:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.close(reading)
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.setitimer(signal.ITIMER_REAL, self.seconds)
                _choice.replacement = replacement
                self._run(session)
                report = json.dumps({"passed": self.recorder.passed, "raised": _choice.raised})
                with os.fdopen(writing, "w") as pipe:
                    pipe.write(report)
            finally:
                os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            data = pipe.read()
        os.waitpid(child, 0)
        return json.loads(data) if data else None

    def _run(self, session: Any) -> None:
        following = [*session.items[1:], None]
        for item, next_item in zip(session.items, following):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=next_item)


def main(files: List[str]) -> None:
    """Run the tests of these files with every version, and write what passes."""
    import pytest

    sys.path.insert(0, str(Path.cwd()))
    assay_run_tests.make_deterministic()
    recorder = assay_run_tests.Recorder()
    loop = ForkedLoop(recorder, request()["seconds"])
    pytest.main([*assay_run_tests.OPTIONS, *files], plugins=[recorder, loop])
    folder = Path(os.environ["ASSAY_PROBE"])
    (folder / "versions.json").write_text(json.dumps(loop.results))


if __name__ == "__main__":
    # The decorator imports this file by its name; both must be one module.
    sys.modules["assay_versions"] = sys.modules["__main__"]
    main(sys.argv[1:])
