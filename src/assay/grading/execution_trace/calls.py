"""The functions that a run called and the programs that it started, from the notes of its processes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from assay.grading.execution_trace.statements import first_line_of, parse, takes_long
from assay.tasks.metric import Strict

Scalar = str | int | float | bool | None
MOST_SETS = 12
"""Different sets of scalar arguments that are kept for one function, over all processes."""
_Place = tuple[str, int, str]
"""The first digits of a file's SHA-256, the first line of a function in it, its plain name."""


LONGEST_COUNT = 15
"""Digits of a line or of a number of calls."""


class CalledFunction(Strict):
    """One function of the submission or of the repository that a run called."""

    path: str
    """The file that defines it."""
    name: str
    """Its qualified name in that file: `Trainer.fit`."""
    count: int
    """How often it was called, at least."""
    returned: int
    """How often a call returned, at least: a call that ends with an exception does not."""
    arguments: list[dict[str, Scalar]] = []
    """The first different sets of its scalar arguments."""


class StartedProgram(Strict):
    """One Python program that a run started."""

    folder: str
    """The working folder at its start, relative to the workspace."""
    words: list[str]
    """The command line behind the interpreter."""

    @property
    def target(self) -> tuple[str, list[str]]:
        """What it runs (a file, `-m MODULE`, or nothing for code in no file), and the arguments."""
        words = iter(self.words)
        for word in words:
            if word in ("-X", "-W"):
                next(words, "")
            elif word == "-m":
                return f"-m {next(words, '')}", list(words)
            elif word.startswith("-c") or word == "-":
                return "", list(words)
            elif not word.startswith("-"):
                return word, list(words)
        return "", []


class CallNotes:
    """The notes about calls and programs of all processes of one run."""

    def __init__(self) -> None:
        self._counts: dict[_Place, dict[int, tuple[int, int]]] = {}
        self._arguments: dict[_Place, list[dict[str, Scalar]]] = {}
        self.programs: list[StartedProgram] = []
        self.written: set[str] = set()

    def read(self, kind: str, fields: str, process: int) -> None:
        """Take one note."""
        if kind == "N" and len(words := fields.split(" ", 3)) == 4 and _are_counts(words[1]):
            place = (words[0], int(words[1]), words[2])
            arguments = _scalars(_evaluate(words[3]))
            kept = self._arguments.setdefault(place, [])
            if arguments is not None and arguments not in kept and len(kept) < MOST_SETS:
                kept.append(arguments)
        elif kind == "K" and len(words := fields.split(" ")) == 5 and _are_counts(words[1], *words[3:]):
            place = (words[0], int(words[1]), words[2])
            # Counts of one process only grow: its last note has them all.
            self._counts.setdefault(place, {})[process] = (int(words[3]), int(words[4]))
        elif kind == "A" and isinstance(start := _evaluate(fields), list) and len(start) > 1:
            folder = str(start[0]).removeprefix("/workspace").lstrip("/")
            self.programs.append(StartedProgram(folder=folder, words=[str(word) for word in start[2:]]))
        elif kind == "W":
            self.written.add(fields)

    def functions(self, files: Mapping[str, tuple[str, bytes]]) -> Iterator[CalledFunction]:
        """Yield the functions of some files (first digits of the SHA-256 → path and contents)."""
        names: dict[str, dict[tuple[int, str], str]] = {}
        for place, arguments in self._arguments.items():
            key, line, name = place
            if key not in files:
                continue
            path, data = files[key]
            if key not in names:
                names[key] = qualified_names(data)
            counts = self._counts.get(place, {}).values()
            yield CalledFunction(
                path=path,
                name=names[key].get((line, name), name),
                count=max(1, sum(count for count, _ in counts)),
                returned=sum(returned for _, returned in counts),
                arguments=arguments,
            )


def qualified_names(data: bytes) -> dict[tuple[int, str], str]:
    """The first line and the plain name of each function of a file → its qualified name."""
    tree = parse(data.decode(errors="replace"))
    names: dict[tuple[int, str], str] = {}
    waiting: list[tuple[ast.AST, str]] = [(tree, "")] if tree is not None else []
    while waiting:
        node, prefix = waiting.pop()
        for child in ast.iter_child_nodes(node):
            inner = prefix
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = f"{prefix}{child.name}."
                names[first_line_of(child), child.name] = inner[:-1]
            waiting.append((child, inner))
    return names


def _are_counts(*words: str) -> bool:
    """Whether all words are plain numbers: a submission can write any note that it likes."""
    return all(word.isascii() and word.isdecimal() and len(word) <= LONGEST_COUNT for word in words)


def _scalars(arguments: object) -> dict[str, Scalar] | None:
    """The arguments of a call that have a name and a plain value; None for what are no arguments."""
    if not isinstance(arguments, dict):
        return None
    return {
        name: value
        for name, value in arguments.items()
        if isinstance(name, str) and (value is None or isinstance(value, str | int | float))
    }


def _evaluate(text: str) -> object:
    if takes_long(text):
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
