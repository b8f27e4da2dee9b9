"""How alike two pieces of code are, and whether one is the other with a part left out.

Code is read as tokens: comments, layout and lone strings are passed over. `likeness` takes every number and
every string for the same one, so that another learning rate is no other approach; it is Dice's coefficient of
runs of three tokens over the files that differ. `is_ablation` looks at lines with their numbers. Both are
rules of thumb on text: code that says the same in other words counts as other code.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

Line = tuple[str, ...]
Code = Mapping[str, tuple[Line, ...]]
"""The lines of each file as tokens."""

SUFFIXES = frozenset(
    {".py", ".sh", ".lean", ".yaml", ".yml", ".toml", ".cfg", ".ini", ".c", ".cc", ".cpp", ".cu", ".jl", ".r"}
)
MOST_BYTES = 400_000
"""A longer file is no hand-written code, and is passed over."""
KEPT = 0.5
"""The share of the earlier lines that an ablation keeps."""
MOST_SWITCHES = 200
"""Lines that an ablation may change; to compare more would take long."""
WORD = re.compile(
    r"""(?P<skip>[#][^\n]*|[^\S\n]+)
    |(?P<string>\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z)|"(?:[^"\\\n]|\\[^\n])*"?|'(?:[^'\\\n]|\\[^\n])*'?)
    |(?P<number>\d[\w.]*(?:(?<=[eE])[-+]\d+)?)
    |(?P<name>\w+)
    |(?P<end>\n)
    |(?P<mark>.)""",
    re.VERBOSE | re.DOTALL,
)
LEAN_COMMENT = re.compile(r"--[^\n]*")
OFF = frozenset({"False", "false", "None", "pass"})
IDLE = frozenset({"import", "from", "print", "assert", "logging", "logger", "echo"})
"""What a line that changes no result begins with."""


def code_of(files: Mapping[str, bytes]) -> dict[str, tuple[Line, ...]]:
    """The hand-written code among some files."""
    code = {}
    for path, data in files.items():
        if PurePosixPath(path).suffix.lower() in SUFFIXES and len(data) <= MOST_BYTES:
            text = data.decode(errors="replace")
            lines = lines_of(LEAN_COMMENT.sub("", text) if path.endswith(".lean") else text)
            if lines:
                code[path] = lines
    return code


def lines_of(text: str) -> tuple[Line, ...]:
    """The lines that hold code, as tokens; a line that is but a string is a comment."""
    lines: list[list[str]] = [[]]
    for match in WORD.finditer(text):
        if match.lastgroup == "end":
            lines.append([])
        elif match.lastgroup != "skip":
            lines[-1].append(match.group())
    return tuple(tuple(line) for line in lines if line and not (len(line) == 1 and _is_string(line[0])))


def likeness(first: Code, second: Code) -> float:
    """From 0, nothing in common, to 1, the same; over the files that differ.

    Where every file that both hold is the same, one only has more files: then over all files.
    """
    shared = first.keys() & second.keys()
    unchanged = {path for path in shared if first[path] == second[path]}
    if unchanged == shared:
        unchanged = set()
    first_runs, second_runs = _runs(first, unchanged), _runs(second, unchanged)
    total = first_runs.total() + second_runs.total()
    return 2 * (first_runs & second_runs).total() / total if total else 1.0


def is_ablation(earlier: Code, later: Code) -> bool:
    """Whether the later code is the earlier with parts removed or switched off, and nothing added."""
    before, after = _effective(earlier), _effective(later)
    removed, added = before - after, after - before
    if not removed or added.total() > MOST_SWITCHES:
        return False
    if (before & after).total() < KEPT * before.total():
        return False
    unused = list(removed.elements())
    for line in added.elements():
        match = next((candidate for candidate in unused if _weaker(candidate, line)), None)
        if match is None:
            return False
        unused.remove(match)
    return True


def _runs(code: Code, excluded: set[str]) -> Counter[Line]:
    """Every run of three tokens of each file."""
    runs: Counter[Line] = Counter()
    for path, lines in code.items():
        tokens = [_kind(token) for line in lines for token in line] if path not in excluded else []
        runs.update(tuple(tokens[at : at + 3]) for at in range(max(len(tokens) - 2, min(len(tokens), 1))))
    return runs


def _effective(code: Code) -> Counter[Line]:
    all_lines: Iterable[Line] = (line for lines in code.values() for line in lines)
    return Counter(line for line in all_lines if line[0] not in IDLE)


def _weaker(before: Line, after: Line) -> bool:
    """Whether a line is another with tokens left out or switched off."""
    remaining = iter(before)
    return all(
        any(token == candidate or _switched_off(candidate, token) for candidate in remaining)
        for token in after
    )


def _switched_off(before: str, after: str) -> bool:
    if before in OFF:
        return False
    if after in OFF:
        return before[0].isalnum() or before[0] in "_\"'"
    return _is_zero(after) and before[0].isdigit() and not _is_zero(before)


def _is_zero(token: str) -> bool:
    return re.fullmatch(r"0(\.0*)?", token) is not None


def _is_string(token: str) -> bool:
    return token[0] in "\"'"


def _kind(token: str) -> str:
    return '""' if _is_string(token) else "0" if token[0].isdigit() else token
