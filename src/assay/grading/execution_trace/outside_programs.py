"""The programs of a run as the kernel reported them: those of other languages, with their arguments.

Python is followed from inside. Any other program is known by its start alone: it is not known how it ended,
nor what it reads without being named in its arguments. So these programs say what a run started. They never
say that something was not done.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from assay.sandbox.monitor.observations import Observations, Program
from assay.tasks.metric import Strict

MOST_SHOWN = 3
LONGEST_SHOWN = 80
_PYTHON = re.compile(r"python[\d.]*")


class OutsideProgram(Strict):
    """One program that started, with the words of its command line."""

    words: list[str]
    """The program and its arguments, up to 64 words of 160 bytes each."""
    file: str = ""
    """The file of the workspace that it runs or is given; empty where its words name none."""
    cut: bool = False
    """Whether it has more words than these."""


def outside_programs(
    observed: Observations | None, files: Iterable[str], command: str = ""
) -> tuple[list[OutsideProgram], str | None]:
    """The programs that are not Python, and why some may be missing, or None if all were seen.

    `command` is the run's own command, which is no news.
    """
    if observed is None or observed.by is None:
        return [], observed.why if observed is not None else "the run was not watched"
    known = frozenset(files)
    programs = [
        OutsideProgram(words=list(program.words), file=_file_of(program, known), cut=program.cut)
        for program in observed.programs
        if not _PYTHON.fullmatch(program.name) and list(program.words) != command.split()
    ]
    reasons = {
        "more programs started than could be written down": observed.full,
        "the words of some programs could not be read": bool(observed.unread),
    }
    return programs, next((reason for reason, holds in reasons.items() if holds), None)


def _file_of(program: Program, known: frozenset[str]) -> str:
    """The first file of the workspace among the words of a program."""
    for word in program.words:
        path = posixpath.normpath(word.removeprefix("/workspace/")) if word else ""
        if path in known:
            return path
    return ""


def describe_outside(programs: list[OutsideProgram], gap: str | None) -> str:
    """What an account says about them: those that run files of the workspace, and how complete this is."""
    own = [program for program in programs if program.file]
    shown = "; ".join(" ".join(program.words)[:LONGEST_SHOWN] for program in own[:MOST_SHOWN])
    sentence = f", started {_counted(len(own))} of other languages ({shown})" if own else ""
    return sentence + (f"; programs of other languages may be missing: {gap}" if gap else "")


def _counted(count: int) -> str:
    return "1 program" if count == 1 else f"{count} programs"
