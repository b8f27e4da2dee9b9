"""Follows a Python process line by line, from inside: which lines of which files it executes.

`placing.py` has `encodings/__init__.py` execute the text of this module: every Python reads that file before
anything else, whatever its options (`-I`, `-S`, `-E`). It runs inside the sandbox, by the task's own Python
(3.8 and later), and knows nothing of Assay. Each line that runs for the first time is written down at once,
so that a process that is killed leaves its trace too.

What it does not cover: a submission that works against it from inside the same process. Such a submission can
write whatever it likes; see `records.py` for what is noticed.
"""

from __future__ import annotations

FOLDER = "@FOLDER@"
WORKSPACE = "/workspace/"
QUIET = 2_000_000
"""So many steps of one function without a new line, and it is followed no longer."""
MOST_SOURCE = 4_000_000


def _follow_this_process() -> None:
    import sys

    state = {"begun": False, "writing": False}

    def audit(event: str, arguments: tuple[object, ...]) -> None:
        if event.startswith("cpython.run_") and not state["begun"]:
            state["begun"] = True
            _begin(state)
        elif not state["begun"]:
            return
        elif event in ("sys.settrace", "sys.monitoring.register_callback") and not state["writing"]:
            if sys._getframe(1).f_code.co_name != "_bootstrap_inner":  # a new thread begins to be followed
                _note(state, "T tracing was replaced")
        elif event == "open" and not state["writing"] and str(arguments[0]).startswith(FOLDER):
            _note(state, "T the trace was opened")

    if hasattr(sys, "addaudithook"):
        sys.addaudithook(audit)


def _note(state: dict[str, bool], line: str) -> None:
    """Append one line to this process's file; opened each time, since descriptors may be closed by anyone."""
    import os

    state["writing"] = True
    try:
        target = f"{FOLDER}/{os.getpid()}"
        descriptor = os.open(target, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.write(descriptor, (line + "\n").encode("utf-8", "surrogateescape"))
        finally:
            os.close(descriptor)
    except OSError:
        pass
    finally:
        state["writing"] = False


def _begin(state: dict[str, bool]) -> None:
    """Follow everything that this process executes from here on."""
    import hashlib
    import os
    import sys
    import threading
    from types import CodeType, FrameType
    from typing import Any

    start = os.getcwd()
    own = tuple(
        os.path.join(os.path.realpath(each), "") for each in {sys.prefix, sys.base_prefix, sys.exec_prefix}
    )
    files: dict[str, Any] = {}
    known: dict[int, Any] = {}
    _note(state, "P " + str(sys.version_info[0]) + "." + str(sys.version_info[1]))

    def look(name: str) -> Any:
        """The codes of a file and its key in the trace; None for what is not the submission's."""
        if name.startswith("<"):
            if name in ("<string>", "<stdin>"):
                _note(state, "I " + name)
            return None
        for folder in (start, os.getcwd()):
            path = os.path.realpath(os.path.join(folder, name))
            if os.path.isfile(path):
                break
        else:
            return None
        if path.startswith(own) and not path.startswith(WORKSPACE):
            return None
        state["writing"] = True
        try:
            with open(path, "rb") as file:
                source = file.read(MOST_SOURCE)
            codes = set(inner(compile(source, name, "exec", dont_inherit=True)))
        except (OSError, SyntaxError, ValueError, RecursionError):
            return None
        finally:
            state["writing"] = False
        key = hashlib.sha256(source).hexdigest()
        place = path[len(WORKSPACE) :] if path.startswith(WORKSPACE) else ""
        _note(state, "F " + key + " " + place.replace("\n", " "))
        return key, codes

    def inner(code: CodeType) -> list[CodeType]:
        found = [code]
        for each in found:
            found += [constant for constant in each.co_consts if isinstance(constant, CodeType)]
        return found

    def follow(code: CodeType) -> Any:
        """What is written of one code object; None where it is no code of a file as it stands there."""
        name = code.co_filename
        if name not in files:
            files[name] = None
            files[name] = look(name)
        file = files[name]
        if file is None:
            return None
        if code not in file[1]:
            _note(state, "X " + file[0])
            return None
        return [code, file[0], set(), 0]

    def record_of(code: CodeType) -> Any:
        if id(code) in known:
            return known[id(code)]
        record = follow(code)
        if record is not None or files.get(code.co_filename) is not None:
            known[id(code)] = record if record is not None else [code, None, None, QUIET + 1]
            return known[id(code)]
        return None

    def seen(record: Any, line: int) -> None:
        record[2].add(line)
        _note(state, "L " + record[1] + " " + str(line))

    def on_call(frame: FrameType, event: str, argument: Any) -> Any:
        if files.get(frame.f_code.co_filename, files) is None:
            return None
        record = record_of(frame.f_code)
        return on_line if record is not None and record[3] <= QUIET else None

    def on_line(frame: FrameType, event: str, argument: Any) -> Any:
        if event != "line":
            return on_line
        record = known[id(frame.f_code)]
        if frame.f_lineno not in record[2]:
            record[3] = 0
            seen(record, frame.f_lineno)
        else:
            record[3] += 1
            if record[3] > QUIET:
                _note(state, "C " + record[1] + " " + str(frame.f_code.co_firstlineno))
                frame.f_trace = None
                return None
        return on_line

    def on_event(code: CodeType, line: int) -> Any:
        record = record_of(code) if files.get(code.co_filename, files) is not None else None
        if record is not None and record[1] is not None and line not in record[2]:
            seen(record, line)
        return sys.monitoring.DISABLE  # type: ignore[attr-defined]

    state["writing"] = True
    if hasattr(sys, "monitoring"):
        monitoring = sys.monitoring
        monitoring.use_tool_id(4, "assay")
        monitoring.register_callback(4, monitoring.events.LINE, on_event)
        monitoring.set_events(4, monitoring.events.LINE)
    else:
        threading.settrace(on_call)
        sys.settrace(on_call)
    state["writing"] = False


_follow_this_process()
