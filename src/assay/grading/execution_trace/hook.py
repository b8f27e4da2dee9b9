"""Follows a Python process line by line, from inside: which lines of which files it executes.

`placing.py` has `encodings/__init__.py` execute the text of this module: every Python reads that file before
anything else, whatever its options (`-I`, `-S`, `-E`). It runs inside the sandbox, by the task's own Python
(3.8 and later), and knows nothing of Assay. Each line that runs for the first time is written down at once,
so that a process that is killed leaves its trace too.

What it does not cover: a submission that works against it from inside the same process. Such a submission can
write whatever it likes; see `records.py` for what is noticed.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FOLDER = "@FOLDER@"
KEY = "@KEY@"
"""Seals every line, so that what others write beside it is known."""
WORKSPACE = "/workspace/"
QUIET = 2_000_000
"""So many steps of one function without a new line, and it is followed no longer."""
MOST_SOURCE = 4_000_000


TOOL = 4
"""Our number among the tools of `sys.monitoring`."""


class _Follower:
    """One process and what it executed so far."""

    def __init__(self) -> None:
        self.begun = False
        self.busy = False
        self.start = ""
        self.digest: Any = None
        self.own: tuple[str, ...] = ()
        self.files: dict[str, Any] = {}
        """File as its code names it → its key in the trace and its code objects; None: not followed."""
        self.known: dict[int, Any] = {}
        """Identity of a code object → [the object, its file's key, its lines, steps without a new one]."""

    def audit(self, event: str, arguments: tuple[object, ...]) -> None:
        """Begin when a program begins, and notice who works against this."""
        if not self.begun:
            if event.startswith("cpython.run_"):
                self.begun = True
                self.begin()
        elif self.busy:
            return
        elif event in ("sys.settrace", "sys.monitoring.register_callback"):
            # A new thread begins to be followed by the same call.
            if sys._getframe(1).f_code.co_name != "_bootstrap_inner":
                self.note("T tracing was replaced")
        elif event == "open" and str(arguments[0]).startswith(FOLDER):
            self.note("T the trace was opened")

    def begin(self) -> None:
        """Follow everything that this process executes from here on."""
        libraries, standard_library = sys.path[:], sys.base_prefix + "/lib"
        sys.path[:] = [
            entry for entry in libraries if entry.startswith(standard_library) and "-packages" not in entry
        ]
        try:
            import hashlib
            import os
            import threading
        finally:
            sys.path[:] = libraries
        self.digest = hashlib.sha256
        self.start = os.getcwd()
        prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix}
        self.own = tuple(os.path.join(os.path.realpath(entry), "") for entry in prefixes)
        self.note("P %d.%d" % sys.version_info[:2])
        self.busy = True
        if hasattr(sys, "monitoring"):
            monitoring = sys.monitoring
            monitoring.use_tool_id(TOOL, "followed")
            monitoring.register_callback(TOOL, monitoring.events.LINE, self.on_event)
            monitoring.set_events(TOOL, monitoring.events.LINE)
        else:
            threading.settrace(self.on_call)
            sys.settrace(self.on_call)
        self.busy = False

    def note(self, line: str) -> None:
        """Append a line to this process's file; opened each time, since anyone may close descriptors."""
        import os

        if sys._getframe(1).f_code not in OWN:
            line = "T the trace was opened"
        seal = self.digest((KEY + line).encode("utf-8", "surrogateescape")).hexdigest()[:16]
        line = seal + " " + line
        busy, self.busy = self.busy, True
        try:
            target = "%s/%d" % (FOLDER, os.getpid())
            descriptor = os.open(target, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                os.write(descriptor, (line + "\n").encode("utf-8", "surrogateescape"))
            finally:
                os.close(descriptor)
        except OSError:
            pass
        finally:
            self.busy = busy

    def look(self, name: str) -> Any:
        """The key of a file and its code objects; None for what cannot be the submission's."""
        import os

        if name.startswith("<"):
            if name in ("<string>", "<stdin>"):
                self.note("I " + name)
            return None
        places = [os.path.realpath(os.path.join(candidate, name)) for candidate in (self.start, os.getcwd())]
        path = next((candidate for candidate in places if os.path.isfile(candidate)), None)
        if path is None or (path.startswith(self.own) and not path.startswith(WORKSPACE)):
            return None
        return self.read(path, name)

    def read(self, path: str, name: str) -> Any:
        """The same for a file that is there: what it compiles to is what may run under its name."""
        self.busy = True
        try:
            with open(path, "rb") as file:
                source = file.read(MOST_SOURCE)
            codes = [compile(source, name, "exec", dont_inherit=True)]
        except (OSError, SyntaxError, ValueError, RecursionError):
            return None
        finally:
            self.busy = False
        for code in codes:
            codes += [constant for constant in code.co_consts if isinstance(constant, type(code))]
        key = self.digest(source).hexdigest()
        place = path[len(WORKSPACE) :] if path.startswith(WORKSPACE) else ""
        self.note("F " + key + " " + place.replace("\n", " "))
        return key, set(codes)

    def record_of(self, code: Any) -> Any:
        """The record of a code object, or None where it is not followed."""
        if id(code) in self.known:
            return self.known[id(code)]
        name = code.co_filename
        if name not in self.files:
            self.files[name] = None
            self.files[name] = self.look(name)
        file = self.files[name]
        if file is None:
            return None
        # Code that only pretends to be of a file is not in what the file compiles to.
        steps = 0 if code in file[1] else QUIET + 1
        self.known[id(code)] = record = [code, file[0], set(), steps]
        return record

    def on_call(self, frame: Any, event: str, argument: Any) -> Any:
        """Python before 3.12: follow the lines of a frame, or not."""
        if self.files.get(frame.f_code.co_filename, self) is None:
            return None
        record = self.record_of(frame.f_code)
        return self.on_line if record is not None and record[3] <= QUIET else None

    def on_line(self, frame: Any, event: str, argument: Any) -> Any:
        """Python before 3.12: one step of a frame."""
        if event != "line":
            return self.on_line
        if sys._getframe(1) is not frame:
            self.note("T the trace was opened")
        record = self.known[id(frame.f_code)]
        if frame.f_lineno not in record[2]:
            record[3] = 0
            self.seen(record, frame.f_lineno)
        else:
            record[3] += 1
            if record[3] > QUIET:
                self.note("C " + record[1])
                frame.f_trace = None
                return None
        return self.on_line

    def on_event(self, code: Any, line: int) -> Any:
        """Python from 3.12 on: a line is told once for each code object."""
        if self.files.get(code.co_filename, self) is not None:
            record = self.record_of(code)
            if record is not None and record[3] <= QUIET:
                self.seen(record, line)
        return sys.monitoring.DISABLE  # type: ignore[attr-defined]

    def seen(self, record: Any, line: int) -> None:
        """Write down a line that runs for the first time."""
        if sys._getframe(1).f_code not in OWN:
            self.note("T the trace was opened")
        record[2].add(line)
        self.note("L " + record[1] + " " + str(line))


OWN = frozenset(each.__code__ for each in vars(_Follower).values() if hasattr(each, "__code__"))
"""Who may write: code of the submission that calls these methods itself is found out."""

if hasattr(sys, "addaudithook"):
    sys.addaudithook(_Follower().audit)
