"""What of a submission a judge reads about its code: new files whole, changed ones as differences."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import ParamSpec, TypeVar

from assay.grading.execution_trace import ExecutionTrace, first_line, is_python, never_run, parse
from assay.grading.judge.guard import EMPTY, NO_NEWLINE, Part
from assay.grading.judge.line_changes import changed_lines
from assay.grading.judge.proof import Proof, is_readable, proof_of
from assay.grading.judge.python_text import (
    CARRIAGE_RETURN,
    PLAIN_END,
    marked_ends,
    python_characters,
    python_lines,
    python_text,
    usual_end,
    why_other_text,
)
from assay.grading.own_code import CODE, LONGEST_DATA, STATED, own_files
from assay.printable import as_mark, unmistakable, with_marks
from assay.rules.documents import read_json
from assay.tasks import Task
from assay.workspace import Submission

Arguments = ParamSpec("Arguments")
Found = TypeVar("Found")

LONGEST_FILE = 200_000
"""Bytes of one file that are read; what is longer is data and not code, and is named as unread."""


@dataclass(frozen=True)
class Material:
    """The changed files that are read, and those that are not, each with the reason."""

    parts: tuple[Part, ...]
    unread: tuple[str, ...] = ()
    """Code that is too long or no text."""
    aside: tuple[str, ...] = ()
    """Data: it is named, and not missed."""

    def with_first(self, paths: Collection[str]) -> Material:
        """The same with these files in front."""
        parts = sorted(self.parts, key=lambda part: (part.name not in paths, part.name))
        return replace(self, parts=tuple(parts))


@dataclass(frozen=True)
class OwnFiles:
    """What material is made of, as another process takes it: files that were changed or added."""

    files: Mapping[str, bytes]
    """Those of `own_files`, in the order of their names; then the statements."""
    given: Mapping[str, bytes]
    """Those of the same names that the task gives."""
    trace: ExecutionTrace | None = None
    """What ran; None if all files count."""


def own_texts(task: Task, submission: Submission, trace: ExecutionTrace | None = None) -> OwnFiles:
    """What a submission changed or added, its statements too."""
    stated = [path for path in STATED if path in submission.files]
    files = {path: submission.files[path] for path in (*sorted(own_files(task, submission)), *stated)}
    given = {path: task.workspace[path] for path in files if path in task.workspace}
    return OwnFiles(files, given, trace)


class _Collected:
    """Material as it grows, up to the characters that are read."""

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._parts: list[Part] = []
        self._left: dict[bool, list[str]] = {True: [], False: []}
        self._characters = 0

    def has_room(self, characters: int = 0) -> bool:
        """Whether so many more characters are not more than are read."""
        return self._most is None or self._characters + characters <= self._most

    def add(self, part: Part) -> None:
        self._parts.append(part)
        self._characters += len(part.shown)

    def leave_out(self, path: str, reason: str, *, is_missed: bool) -> None:
        self._left[is_missed].append(f"{path} ({reason})")

    def leave_out_rest(self, paths: Collection[str]) -> None:
        """Name the files that nobody looks at, because others fill all that is read."""
        path, *further_paths = paths
        named = f"{path} and {len(further_paths)} more" if further_paths else path
        self.leave_out(named, f"more than {self._most:,} characters of text in all", is_missed=True)

    @property
    def material(self) -> Material:
        return Material(tuple(self._parts), tuple(self._left[True]), tuple(self._left[False]))


def read_code(texts: OwnFiles, first: Collection[str] = (), most: int | None = None) -> Material:
    """What was changed and ran, the files named `first` in front; without a trace, all that was changed.

    Files after the first `most` characters are not looked at.
    """
    collected = _Collected(most)
    code_paths = [path for path in texts.files if path not in STATED]
    paths = sorted(code_paths, key=lambda path: (path not in first, path))
    for place, path in enumerate(paths):
        if not collected.has_room():
            collected.leave_out_rest(paths[place:])
            break
        data = texts.files[path]
        if texts.trace is not None and not _was_used(texts.trace, path, data):
            collected.leave_out(path, "never executed", is_missed=False)
        elif (kind := _unreadable(path, data)) is not None:
            reason = f"{kind}, {len(data):,} bytes"
            collected.leave_out(path, reason, is_missed=path.lower().endswith(CODE))
        elif isinstance(part := _unless_deep(_part, path, data, texts.given.get(path), texts.trace), str):
            collected.leave_out(path, part, is_missed=True)
        else:
            collected.add(part)
    return collected.material


def read_all_text(texts: OwnFiles, most: int | None = None) -> Material:
    """All readable files that were changed or added, whole, whether or not they ran; the rest by name.

    Statements too: a run can read them in ways that nobody sees from outside. Files that would make it more
    than `most` characters are not looked at, and none after them.
    """
    collected = _Collected(most)
    for place, (path, data) in enumerate(texts.files.items()):
        is_code = path.lower().endswith(CODE)
        if b"\0" in data or len(data) > (LONGEST_FILE if is_code else LONGEST_DATA):
            collected.leave_out(path, f"{len(data):,} bytes", is_missed=is_code)
            continue
        part = _unless_deep(_whole_part, path, data, texts.given.get(path))
        if isinstance(part, Part) and not collected.has_room(len(part.shown)):
            collected.leave_out_rest([*texts.files][place:])
            break
        reason = part if isinstance(part, str) else _unless_deep(why_other_text, path, data)
        if reason is not None:
            collected.leave_out(path, reason, is_missed=True)
        elif isinstance(part, Part):
            collected.add(part)
    return collected.material


def _unless_deep(
    read: Callable[Arguments, Found], *arguments: Arguments.args, **named: Arguments.kwargs
) -> Found | str:
    """What reading one file gives; in words why not, where it is nested too deeply: others are still read."""
    try:
        return read(*arguments, **named)
    except RecursionError:
        return "nested too deeply to be read"


def _whole_part(path: str, data: bytes, original: bytes | None) -> Part | str:
    """All text of one file, or its difference from the given file; or why that cannot be found."""
    text, note = _seen(path, data), _line_ends(path, data, original)
    if not original:
        return Part(f"{path} (whole)", text, text, text, note=note, is_marked=True)
    changes = changed_lines(_seen(path, original), text)
    if changes is None:
        return _not_compared(data)
    return Part(f"{path} (changes)", changes, text, text, note=note, is_marked=True)


def _not_compared(data: bytes) -> str:
    return f"too long to compare with the given file, {len(data):,} bytes"


def _seen(path: str, data: bytes) -> str:
    """A file as text in which names that differ also look different, and line ends that differ too.

    A program that is no Python may read a file of Python code, and its lines end elsewhere.
    """
    text = python_characters(data) if is_python(path, data) else data.decode(errors="surrogateescape")
    return _with_last_end(data, _in_its_lines(path, data, text, unmistakable))


def _line_ends(path: str, data: bytes, original: bytes | None) -> str:
    """How the lines of a file end, where no mark in the text says it."""
    if _is_shell(path, data):
        return ""
    line_end = usual_end(data.decode("latin-1"))
    before = usual_end(original.decode("latin-1")) if original else line_end
    if before != line_end:
        return as_mark(f"lines end with {line_end}; in the given file with {before}")
    return as_mark(f"lines end with {line_end}") if line_end != PLAIN_END else ""


def _with_last_end(data: bytes, text: str) -> str:
    """The text of a file with a mark where its last line has no end."""
    if not data:
        return EMPTY
    return text if data.endswith(b"\n") else text + NO_NEWLINE


def _was_used(trace: ExecutionTrace, path: str, data: bytes) -> bool:
    """Whether a run executed a program, or opened a file that is none."""
    if path in trace.programs:
        return trace.may_have_run(path)
    return not data.strip() or trace.opened is None or path in trace.opened


def _part(path: str, data: bytes, original: bytes | None, trace: ExecutionTrace | None) -> Part | str:
    """One file as it is read, without the statements that never ran, where that is known.

    If it cannot be compared with the given file, a text that says so.
    """
    plain_text = readable(path, data)
    is_program = is_python(path, data) or path.endswith(".ipynb")
    text = plain_text if is_program else _with_last_end(data, plain_text)
    visible_text: str | None = text
    if original is not None:
        before = readable(path, original)
        visible_text = changed_lines(before if is_program else _with_last_end(original, before), text)
    if visible_text is None:
        return _not_compared(data)
    ran = frozenset(trace.lines[path]) if trace is not None and path in trace.lines else None
    unsure = trace is not None and path in trace.programs and path not in trace.ran
    loose = trace is not None and path in trace.loose and ran is None
    proof = Proof() if unsure or loose else proof_of(path, _in_plain_lines(path, data, plain_text), ran)
    shown = without_idle(visible_text, text, ran)
    note = "" if is_program else _line_ends(path, data, original)
    return Part(path, shown, text, proof.text, proof.mask, note=note, is_marked=True)


def without_idle(visible_text: str, text: str, ran: frozenset[int] | None) -> str:
    """What is shown of a file, without lines that stand only in statements which never ran."""
    tree = parse(text) if ran is not None else None
    if tree is None or ran is None:
        return visible_text
    idle = never_run(tree, ran) - ran
    lines = text.splitlines()
    live_lines = {line.strip() for number, line in enumerate(lines, 1) if number not in idle}
    dead_lines = {lines[number - 1].strip() for number in idle if number <= len(lines)} - live_lines - {""}
    if visible_text == text:
        return "\n".join(line for number, line in enumerate(lines, 1) if number not in idle)
    return "\n".join(line for line in visible_text.splitlines() if line[1:].strip() not in dead_lines)


def _unreadable(path: str, data: bytes) -> str | None:
    """Why a file is not read, in a word."""
    if not is_readable(path, data):
        return "no code"
    if len(data) > LONGEST_FILE:
        return "long"
    return "binary" if b"\0" in data else None


def text_of(path: str, data: bytes) -> str:
    """A file as text in the lines that its language sees, with a written form of characters that nobody sees.

    Some of them end a line for a reader and not for Python, so that a comment could hide the next lines.
    Bytes that are no character of the encoding are written out too: two of them must not look like one.
    """
    if is_python(path, data):
        return with_marks(python_text(data), "\n\t")
    return _in_its_lines(path, data, data.decode(errors="surrogateescape"), with_marks)


def _in_its_lines(path: str, data: bytes, text: str, mark: Callable[[str, str], str]) -> str:
    """A marked text in the lines that its program sees: for a shell, a carriage return ends none."""
    return mark(text, "\n\t") if _is_shell(path, data) else marked_ends(mark(text, "\n\t\r"))


def _is_shell(path: str, data: bytes) -> bool:
    """Whether a shell runs a file: a carriage return is a letter for it, also at the end of a line."""
    return path.lower().endswith((".sh", ".bash", ".zsh")) or b"sh" in first_line(data)


def _in_plain_lines(path: str, data: bytes, text: str) -> str:
    """A text whose lines do not end at a carriage return: in many languages, it does not end a comment."""
    return text if _is_shell(path, data) else text.replace(CARRIAGE_RETURN + "\n", CARRIAGE_RETURN)


def readable(path: str, data: bytes) -> str:
    """A file as text; of a notebook the code of its cells."""
    if not path.endswith(".ipynb"):
        return text_of(path, data)
    try:
        cells = read_json(data.decode(errors="replace"))["cells"]
        sources = [cell["source"] for cell in cells if cell.get("cell_type") == "code"]
        cell_texts = [source if isinstance(source, str) else "".join(source) for source in sources]
        return with_marks(python_lines("\n\n".join(cell_texts)), "\n\t")
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""
