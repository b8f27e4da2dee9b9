"""Whether an agent's first run of the experiment crashed, and whether a later one went well."""

from __future__ import annotations

import re
from collections.abc import Iterable

from assay.tasks import Task
from assay.tasks.metric import Strict

_SPACE = r"\s{1,20}"
_RAISED = re.compile(
    r"^Traceback \(most recent call last\)|^(?:\w+\.)*\w+(?:Error|Exception)(?::|$)", re.MULTILINE
)


class Runs(Strict):
    """The runs of the task's own command that an attempt made in its sandbox."""

    made: int
    """How often the command was run; 0 where the agent never ran it."""
    first_crashed: bool | None = None
    """None where there was no run."""
    recovered: bool | None = None
    """Whether a later run went well; None where the first one did not crash."""


def runs_of(task: Task, commands: Iterable[tuple[str, int | None, str]]) -> Runs | None:
    """The runs among all commands, each with its exit code and output; None where the task has no command.

    A run crashed if it was cut off, exited with an error, or printed an exception: in a pipe the exit code is
    that of the last program, which often is `tail`.
    """
    pattern = _pattern(task)
    if pattern is None:
        return None
    crashed = [
        code != 0 or _RAISED.search(output) is not None
        for command, code, output in commands
        if pattern.search(command)
    ]
    if not crashed:
        return Runs(made=0)
    recovered = not all(crashed[1:]) if crashed[0] else None
    return Runs(made=len(crashed), first_crashed=crashed[0], recovered=recovered)


def _pattern(task: Task) -> re.Pattern[str] | None:
    """The run command however it is spelled: with another Python, with options, by its full path.

    Every repetition that could begin at many places is bounded: an agent writes the commands, and must not
    make the search slow.
    """
    run, challenge = task.assay.run, task.assay.challenge
    command = run.command if run else challenge.build if challenge else None
    if command is None:
        return None
    program, *arguments = command.split()
    program = r"python[\d.]{0,8}" if program.startswith("python") else re.escape(program)
    words = [r"(?:\./|/workspace/)?" + re.escape(word.removeprefix("./")) for word in arguments]
    options = rf"(?:{_SPACE}-\w{{1,40}}){{0,8}}{_SPACE}" if words else ""
    # A path before the program needs no reading: it is enough that a slash or nothing of a name stands there.
    return re.compile(r"(?:(?<=/)|(?<![\w.-]))" + program + options + _SPACE.join(words) + r"(?![\w.-])")
