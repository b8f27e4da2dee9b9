"""Follows a Python process from inside: the lines it executes, the functions it calls, the files it writes.

`placing.py` has `encodings/__init__.py` execute the text of this module: every Python reads that file before
anything else, whatever its options (`-I`, `-S`, `-E`). It runs inside the sandbox, by the task's own Python
(3.8 and later), and knows nothing of Assay. Each line that runs for the first time is written down at once,
so that a process that is killed leaves its trace too. Calls are counted and their first scalar arguments
kept; both are bounded, so that a function that is called a million times costs little. Lines of submitted
notebooks are known by their digests: a kernel and `exec` run them as texts that stand in no file.

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
CELLS = frozenset("@CELLS@".split())  # noqa: SIM905
"""Digests of the lines of submitted notebooks, as `notebook_cells.py` computes them."""
WORKSPACE = "/workspace/"
QUIET = 2_000_000
"""So many steps of one function without a new line, and it is followed no longer."""
MOST_SOURCE = 4_000_000
MOST_COUNTED = 20_000
"""Calls of one function that are counted."""
MOST_INSPECTED = 500
"""Calls of one function whose arguments are looked at."""
MOST_SETS = 8
"""Different sets of scalar arguments that are kept for one function."""
MOST_NAMES = 40
"""Arguments of one call that are kept."""
LONGEST_TEXT = 120
"""Characters of a text that still counts as a scalar argument."""
NOTED_COUNTS = (1, 64, 4_096)
"""Counts that are written down at once; the last count follows when the process ends."""
MOST_WRITTEN = 200
"""Files whose opening for writing is written down."""
MOST_WORDS = 300
"""Arguments of a program that are kept."""
RETURN_VALUE = 83
"""The instruction, in every Python that has no `sys.monitoring`."""
OPTIMIZED, VARIABLE_KEYWORDS, GENERATOR = 0x1, 0x8, 0x20 | 0x80 | 0x200
"""Flags of code objects: a function, one with `**options`, one that is resumed."""
SCALARS = frozenset((int, float, bool, str, type(None)))


TOOL = 4
"""Our number among the tools of `sys.monitoring`."""
NAME = "followed"


class _Follower:
    """One process and what it executed so far."""

    def __init__(self) -> None:
        self.begun = False
        self.busy = False
        self.start = ""
        self.digest: Any = None
        self.own: tuple[str, ...] = ()
        self.files: dict[str, Any] = {}
        """File as its code names it → its key in the trace, its code objects and the digests of its lines, if
        it has lines of a notebook; None: not followed."""
        self.known: dict[int, Any] = {}
        """Identity of a code object → [the object, its file's key, its lines, steps without a new one, the
        digests of the lines of its text]."""
        self.calls: dict[int, Any] = {}
        """Identity of a code object → [calls, calls that returned, sets of arguments, last written count]."""
        self.written: set[str] = set()
        self.cells: dict[Any, list[str]] = {}
        """Code object of a text with lines of a notebook → the digests of the lines of that text."""

    def audit(self, event: str, arguments: tuple[object, ...]) -> None:
        """Begin when a program begins, and notice who works against this."""
        if not self.begun:
            if event.startswith("cpython.run_"):
                self.begun = self.busy = True
                self.begin(event, arguments)
        elif self.busy:
            return
        elif event in ("sys.settrace", "sys.monitoring.register_callback"):
            # A new thread begins to be followed by the same call.
            if sys._getframe(1).f_code.co_name != "_bootstrap_inner":
                self.note("T tracing was replaced")
        elif event == "open" and str(arguments[0]).startswith(FOLDER):
            self.note("T the trace was opened")
        elif event == "open" and isinstance(arguments[2], int) and arguments[2] & 3:
            self.writes(arguments[0])
        elif CELLS and event == "compile":
            self.compiles(arguments[0], arguments[1])
        elif event == "exec" and arguments[0] in self.cells:
            self.files[arguments[0].co_filename] = "", self.cells, ()  # type: ignore[attr-defined]

    def writes(self, target: object) -> None:
        """Write down a file that is opened for writing."""
        import os

        if isinstance(target, str) and len(self.written) < MOST_WRITTEN:
            path = os.path.normpath(os.path.join(os.getcwd(), target))
            if path.startswith(WORKSPACE) and path not in self.written:
                self.written.add(path)
                self.note("W " + path[len(WORKSPACE) :].replace("\n", " "))

    def compiles(self, source: Any, name: object) -> None:
        """Know the code of a text that stands in no file and has lines of a notebook."""
        import os

        is_program = isinstance(name, str) and os.path.isfile(name) and not name.endswith(".ipynb")
        if not isinstance(name, str) or name.startswith(self.own) or is_program:
            return
        text = source.decode("utf-8", "replace") if isinstance(source, bytes) else source
        digests = self.digests(text) if isinstance(text, str) and len(text) <= MOST_SOURCE else []
        if digests:
            self.cells.update((code, digests) for code in self.codes(text, name))

    def digests(self, text: str) -> list[str]:
        """A digest for each line of a text; none where no line is of a notebook."""
        lines = ["".join(line.split()) for line in text.splitlines()] if CELLS else []
        digests = [self.digest(line.encode("utf-8", "replace")).hexdigest()[:12] for line in lines]
        return [] if CELLS.isdisjoint(digests) else digests

    def codes(self, text: str, name: str) -> list[Any]:
        """What a text compiles to, as a whole and statement by statement, as a kernel compiles it."""
        import _ast

        codes: list[Any] = []
        busy, self.busy = self.busy, True
        try:
            for flags in (0, annotations.compiler_flag):
                codes.append(compile(text, name, "exec", flags, dont_inherit=True))
                for node in compile(text, name, "exec", flags | _ast.PyCF_ONLY_AST, dont_inherit=True).body:
                    statement: Any = _ast.Module([node], [])
                    codes.append(compile(statement, name, "exec", flags, dont_inherit=True))
                    statement = _ast.Interactive([node])
                    codes.append(compile(statement, name, "single", flags, dont_inherit=True))
        except (SyntaxError, ValueError, RecursionError):
            return []
        finally:
            self.busy = busy
        return with_inner_codes(codes)

    def started(self, event: str, arguments: tuple[object, ...]) -> list[str]:
        """The words that started this program, the first one the interpreter."""
        words = getattr(sys, "orig_argv", None)
        if words is None:
            own = {"cpython.run_module": ["-m", str(arguments[0])], "cpython.run_command": ["-c", ""]}
            words = ["python", *own.get(event, sys.argv[:1]), *sys.argv[1:]]
        return [word[:MOST_WORDS] for word in words[:MOST_WORDS]]

    def begin(self, event: str, arguments: tuple[object, ...]) -> None:
        """Follow everything that this process executes from here on."""
        libraries, standard_library = sys.path[:], sys.base_prefix + "/lib"
        sys.path[:] = [
            entry for entry in libraries if entry.startswith(standard_library) and "-packages" not in entry
        ]
        try:
            import atexit
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
        self.note("A " + ascii([self.start, *self.started(event, arguments)]))
        atexit.register(self.end)
        os.register_at_fork(after_in_child=self.calls.clear)
        if hasattr(sys, "monitoring"):
            monitoring, events = sys.monitoring, sys.monitoring.events
            monitoring.use_tool_id(TOOL, NAME)
            monitoring.register_callback(TOOL, events.LINE, self.on_event)
            monitoring.register_callback(TOOL, events.PY_START, self.on_start)
            monitoring.register_callback(TOOL, events.PY_RETURN, self.on_return)
            monitoring.set_events(TOOL, events.LINE | events.PY_START | events.PY_RETURN)
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
        key = self.digest(source).hexdigest()
        place = path[len(WORKSPACE) :] if path.startswith(WORKSPACE) else ""
        self.note("F " + key + " " + place.replace("\n", " "))
        return key, set(with_inner_codes(codes)), self.digests(source.decode("utf-8", "replace"))

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
        digests = file[2] if file[0] else self.cells.get(code, ())
        self.known[id(code)] = record = [code, file[0], set(), steps, digests]
        return record

    def on_call(self, frame: Any, event: str, argument: Any) -> Any:
        """Python before 3.12: follow the lines of a frame, or not."""
        if self.files.get(frame.f_code.co_filename, self) is None:
            return None
        record = self.record_of(frame.f_code)
        if record is None or record[3] > QUIET:
            return None
        self.called(record, frame)
        return self.on_line

    def on_line(self, frame: Any, event: str, argument: Any) -> Any:
        """Python before 3.12: one step of a frame."""
        if event == "return" and (argument is not None or self.is_return(frame)):
            self.returned(self.known[id(frame.f_code)])
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

    def is_return(self, frame: Any) -> bool:
        """Whether a frame that ends with None ends by a return, and not by an exception."""
        call = self.calls.get(id(frame.f_code))
        if call is None or call[1] > MOST_INSPECTED:
            return True
        return bool(frame.f_code.co_code[frame.f_lasti] == RETURN_VALUE)

    def on_start(self, code: Any, offset: int) -> Any:
        """Python from 3.12 on: a function begins."""
        if self.files.get(code.co_filename, self) is None:
            return sys.monitoring.DISABLE  # type: ignore[attr-defined]
        record = self.record_of(code)
        if record is None or record[3] > QUIET or not self.called(record, sys._getframe(1)):
            return sys.monitoring.DISABLE  # type: ignore[attr-defined]
        return None

    def on_return(self, code: Any, offset: int, value: object) -> Any:
        """Python from 3.12 on: a function returns."""
        record = self.known.get(id(code))
        if record is None or not self.returned(record):
            return sys.monitoring.DISABLE  # type: ignore[attr-defined]
        return None

    def called(self, record: Any, frame: Any) -> bool:
        """Count a call and keep its scalar arguments while they are new; False: count it no longer."""
        code = record[0]
        if sys._getframe(1).f_code not in OWN or frame.f_code is not code:
            self.note("T the trace was opened")
        if not code.co_flags & OPTIMIZED or code.co_name[0] == "<" or not record[1]:
            return False
        call = self.calls.get(id(code))
        if call is None:
            self.calls[id(code)] = call = [0, 0, set(), 0]
        if call[0] >= MOST_COUNTED:
            return False
        call[0] += 1
        most = 1 if code.co_flags & GENERATOR else MOST_INSPECTED
        if call[0] <= most and len(call[2]) < MOST_SETS:
            scalars = ascii(self.scalars(code, frame.f_locals))
            if scalars not in call[2]:
                call[2].add(scalars)
                self.note("N %s %d %s %s" % (record[1][:16], code.co_firstlineno, code.co_name, scalars))
        if code.co_flags & GENERATOR:
            return self.returned(record)
        return True

    def scalars(self, code: Any, values: Any) -> dict[str, object]:
        """The arguments of a call that are plain numbers, texts, booleans or None."""
        count = code.co_argcount + code.co_kwonlyargcount
        names = code.co_varnames[: count + 2]
        found = {name: values[name] for name in names[:count] if name in values}
        if code.co_flags & VARIABLE_KEYWORDS and names:
            options = values.get(code.co_varnames[count + bool(code.co_flags & 0x4)])
            found.update(options if type(options) is dict else {})
        kept = [(name, value) for name, value in found.items() if type(value) in SCALARS]
        return {
            name: value
            for name, value in kept[:MOST_NAMES]
            if type(value) is not str or len(value) <= LONGEST_TEXT
        }

    def returned(self, record: Any) -> bool:
        """Count a call that returned; False: count it no longer."""
        call = self.calls.get(id(record[0]))
        if call is None or call[1] >= MOST_COUNTED:
            return False
        call[1] += 1
        if call[1] in NOTED_COUNTS:
            self.count(record, call)
        return True

    def count(self, record: Any, call: Any) -> None:
        """Write down how often a function was called, and how often it returned."""
        code, call[3] = record[0], call[0]
        counts = (record[1][:16], code.co_firstlineno, code.co_name, call[0], call[1])
        self.note("K %s %d %s %d %d" % counts)

    def end(self) -> None:
        """Write down the last counts when the process ends, and whether it was followed until then."""
        for place, call in list(self.calls.items()):
            if call[0] != call[3]:
                self.count(self.known[place], call)
        if hasattr(sys, "monitoring") and sys.monitoring.get_tool(TOOL) != NAME:
            self.note("T tracing was replaced")

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
        if record[1]:
            self.note("L " + record[1] + " " + str(line))
        # An empty file runs its line 0.
        if 0 < line <= len(record[4]) and record[4][line - 1] in CELLS:
            self.note("J " + record[4][line - 1])


def with_inner_codes(codes: list[Any]) -> list[Any]:
    """Code objects together with those of the functions inside them."""
    for code in codes:
        codes += [constant for constant in code.co_consts if isinstance(constant, type(code))]
    return codes


OWN = frozenset(each.__code__ for each in vars(_Follower).values() if hasattr(each, "__code__"))
"""Who may write: code of the submission that calls these methods itself is found out."""

if hasattr(sys, "addaudithook"):
    sys.addaudithook(_Follower().audit)
