"""What the processes of a followed run wrote down, put together with what was seen from outside.

What it does not cover: a submission that forges its own trace. Both views must agree, the code that ran must
be the code that was handed in, every line carries a seal, and whoever replaces the tracing or opens the trace
from Python is found out; a program in another language that takes the key out of the hook and seals lines of
its own is not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from assay.grading.execution_trace.calls import CalledFunction, CallNotes, StartedProgram
from assay.grading.execution_trace.notebook_cells import (
    is_python_notebook,
    ran_as_script,
    ran_by_lines,
    script_lines,
)
from assay.grading.execution_trace.outside_programs import (
    OutsideProgram,
    describe_outside,
    outside_programs,
)
from assay.rules.programs import is_program, is_python
from assay.sandbox.monitor.observations import Observations
from assay.tasks.metric import Strict

MOST_BYTES = 16 << 20
"""Of all traces together; what is longer is not read, and the trace counts as incomplete."""
MOST_LOGGED = 200
"""Functions, programs and written files of each kind that a log contains."""


class ExecutionTrace(Strict):
    """What one run executed of the files that were handed in."""

    programs: list[str] = []
    """The submitted files that hold code, the given ones that were left unchanged not among them."""
    python: list[str] = []
    """Those of them that Python runs."""
    ran: list[str] = []
    """Those that ran: a Python file of which a line was executed, a notebook of which most lines were, any
    other that was opened."""
    lines: dict[str, list[int]] = {}
    """Python file → the lines that were executed, in order; only files that ran as they were handed in."""
    loose: list[str] = []
    """Python files of which too little is known: changed before they ran, or followed only for a while."""
    given: list[str] = []
    """Files of the task's own workspace that ran, unchanged."""
    given_lines: dict[str, list[int]] = {}
    """Such a Python file → the lines that were executed, in order; a log does not contain them."""
    calls: list[CalledFunction] = []
    """The functions of submitted and given files that were called."""
    started: list[StartedProgram] = []
    """The Python programs that were started, with their arguments."""
    outside: list[OutsideProgram] = []
    """The programs of other languages that were started, with their arguments, seen from outside."""
    outside_gap: str | None = None
    """Why some of them may be missing."""
    written: list[str] = []
    """The files of the workspace that Python opened for writing."""
    processes: int = 0
    """How many Python processes ran a program."""
    inline: bool = False
    """Whether Python ran code that stands in no file: `python -c`, a here-document."""
    opened: list[str] | None = None
    """The submitted files that were opened, seen from outside; None where nothing is known."""
    blind: bool = False
    """Whether Python itself could not be followed, so that files are known by their opening alone."""
    gap: str | None = None
    """Why the trace is not whole, so that what is not in it may have run all the same."""
    forged: bool = False
    """Whether the run wrote or read its own trace, which no honest program does."""

    def may_have_run(self, path: str) -> bool:
        """Whether a file ran, or nothing is known against it."""
        if path in self.ran or path in self.given:
            return True
        if self.gap is None:
            return False
        return self.opened is None or path in self.opened

    @property
    def never(self) -> list[str]:
        """The programs that certainly did not run."""
        return [path for path in self.programs if not self.may_have_run(path)]

    @property
    def untouched(self) -> list[str]:
        """The programs that the run certainly neither ran nor read; none where openings were not seen."""
        if self.opened is None or self.gap is not None or self.forged:
            return []
        return [path for path in self.never if path not in self.opened]

    def is_idle(self, command: str) -> bool:
        """Whether programs were handed in beside those that the command names, and no code at all ran."""
        unnamed = [path for path in self.programs if path not in command.split()]
        ran_something = self.given or self.inline or any(path in self.ran for path in self.python)
        return bool(unnamed) and not ran_something and set(unnamed) <= set(self.never)

    @property
    def account(self) -> str:
        """How much of what was handed in ran, in one sentence."""
        if not self.programs:
            return "no program was handed in"
        count = len([path for path in self.programs if path in self.ran])
        sentence = f"executed {count} of {len(self.programs)} submitted programs"
        own = sum(call.path in self.programs for call in self.calls)
        sentence += f", called {_counted(own, 'function')} of the submission" if own else ""
        others = len(self.calls) - own
        sentence += f", called {_counted(others, 'function')} of the repository" if others else ""
        sentence += describe_outside(self.outside, self.outside_gap)
        sentence += f"; never executed: {_some(self.never)}" if self.never else ""
        sentence += f"; not followed to the end: {self.gap}" if self.gap else ""
        return sentence + ("; the run opened the record of what it executes" if self.forged else "")

    def for_log(self) -> ExecutionTrace:
        """The trace without what only grading needs."""
        first = sorted(self.calls, key=lambda call: call.path not in self.programs)[:MOST_LOGGED]
        return self.model_copy(
            update={
                "given_lines": {},
                "calls": first,
                "started": self.started[:MOST_LOGGED],
                "outside": self.outside[:MOST_LOGGED],
                "written": self.written[:MOST_LOGGED],
            }
        )


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _some(names: Sequence[str], most: int = 5) -> str:
    listed = ", ".join(names[:most])
    return listed if len(names) <= most else f"{listed} and {len(names) - most} more"


class _Notes:
    """The lines of all processes, by what they are about."""

    def __init__(self, traces: Iterable[bytes], key: str) -> None:
        self.lines: dict[str, set[int]] = {}
        self.cell_lines: set[str] = set()
        """Digests of the lines of notebooks that were executed."""
        self.places: dict[str, set[str]] = {}
        self.cut: set[str] = set()
        self.forged = self.replaced = False
        self.processes = 0
        self.calls = CallNotes()
        for process, trace in enumerate(traces):
            # Names of files may contain any other character that ends a line, and bytes that are no UTF-8.
            for line in trace.removesuffix(b"\n").split(b"\n") if trace else []:
                seal, _, note = line.partition(b" ")
                if hashlib.sha256(key.encode() + note).hexdigest()[:16].encode() != seal:
                    # One is enough: whoever writes here could write millions of lines.
                    self.forged = True
                    return
                kind, _, fields = note.decode(errors="replace").partition(" ")
                self._take(kind, fields)
                self.calls.read(kind, fields, process)

    def _take(self, kind: str, fields: str) -> None:
        key, _, value = fields.partition(" ")
        if kind == "L" and value.isascii() and value.isdigit() and len(value) < 9:
            self.lines.setdefault(key, set()).add(int(value))
        elif kind == "J":
            self.cell_lines.add(key)
        elif kind == "F":
            self.places.setdefault(value, set()).add(key)
        elif kind == "C":
            self.cut.add(key)
        elif kind == "T":
            self.forged = self.forged or "opened" in fields
            self.replaced = True
        elif kind == "P":
            self.processes += 1


def read_trace(
    traces: Mapping[str, bytes],
    submitted: Mapping[str, bytes],
    unchanged: Mapping[str, bytes],
    opened: frozenset[str] | None,
    *,
    key: str,
    gap: str | None = None,
    blind: bool = False,
    observed: Observations | None = None,
    command: str = "",
) -> ExecutionTrace:
    """Put the traces of one run together.

    `submitted` are changed files, `unchanged` is the rest of the workspace; `blind` says that this Python
    cannot be followed, so that to be opened is all that can be known of a Python file. `observed` are the
    programs that the kernel reported, and `command` is the run's own one.
    """
    if gap is None and sum(map(len, traces.values())) > MOST_BYTES:
        gap = "its trace is too long"
    notes = _Notes(traces.values(), key)
    if gap is None and notes.replaced:
        gap = "it replaced the tracing"
    programs = sorted(path for path, data in submitted.items() if is_program(path, data))
    ran, lines, loose = _executed(programs, submitted, notes, opened, blind=blind)
    used = {
        hashlib.sha256(data).hexdigest(): path for path, data in unchanged.items() if path.endswith(".py")
    }
    files = {key[:16]: (path, unchanged[path]) for key, path in used.items()}
    files |= {hashlib.sha256(submitted[path]).hexdigest()[:16]: (path, submitted[path]) for path in lines}
    outside, outside_gap = outside_programs(observed, (*submitted, *unchanged), command)
    return ExecutionTrace(
        programs=programs,
        python=[path for path in programs if is_python(path, submitted[path])],
        ran=ran,
        lines=lines,
        loose=loose,
        given=sorted(used[key] for key in notes.lines if key in used),
        given_lines={used[key]: sorted(executed) for key, executed in notes.lines.items() if key in used},
        calls=sorted(notes.calls.functions(files), key=lambda call: (call.path, call.name)),
        started=notes.calls.programs,
        outside=outside,
        outside_gap=outside_gap,
        written=sorted(notes.calls.written),
        processes=notes.processes,
        inline=any(not program.target[0] for program in notes.calls.programs),
        opened=None if opened is None else sorted(opened),
        blind=blind,
        gap=gap,
        forged=notes.forged,
    )


def _executed(
    programs: Sequence[str],
    submitted: Mapping[str, bytes],
    notes: _Notes,
    opened: frozenset[str] | None,
    *,
    blind: bool,
) -> tuple[list[str], dict[str, list[int]], list[str]]:
    """The programs that ran, the lines of those that Python ran, and those of which too little is known."""
    ran: list[str] = []
    lines: dict[str, list[int]] = {}
    loose: list[str] = []
    for path in programs:
        data = submitted[path]
        if not blind and is_python_notebook(path, data):
            continue
        if blind or not is_python(path, data):
            if opened is None or path in opened:
                ran.append(path)
            continue
        key = hashlib.sha256(data).hexdigest()
        if executed := notes.lines.get(key):
            # What is said to have run was opened, or someone else wrote it down.
            if opened is not None and path not in opened and not _elsewhere(notes, key, path):
                continue
            ran.append(path)
            lines[path] = sorted(executed)
            loose += [path] if key in notes.cut else []
        elif any(notes.lines.get(other_key) for other_key in notes.places.get(path, ())):
            ran.append(path)
            loose.append(path)
    notebooks = [path for path in programs if is_python_notebook(path, submitted[path]) and path not in ran]
    scripts = [(submitted[path], executed) for path, executed in lines.items()] if notebooks else []
    in_scripts = script_lines(scripts)
    ran += [
        path
        for path in notebooks
        if ran_by_lines(submitted[path], notes.cell_lines, len(notebooks))
        or ran_as_script(submitted[path], in_scripts, len(notebooks))
    ]
    return ran, lines, loose


def _elsewhere(notes: _Notes, key: str, path: str) -> bool:
    """Whether the same text ran under another name, which a twin among the submitted files explains."""
    return any(key in keys for place, keys in notes.places.items() if place != path)
