"""A candidate: one answer, what running it gave, and the numbers in that."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from inspect_ai.util import OutputLimitExceededError

from assay.apart import apart
from assay.errors import GradingError
from assay.rules.documents import read_json
from assay.rules.results import printed_numbers
from assay.tasks import Task
from assay.workspace import Submission
from assay.workspace.credentials import redact

if TYPE_CHECKING:
    from inspect_ai.util import SandboxEnvironment

PRISTINE = "/tmp/.pristine"
KEEP = f"rm -rf {PRISTINE} && cp -a /workspace {PRISTINE}"
RESTORE = f"find /workspace -mindepth 1 -delete; cp -a {PRISTINE}/. /workspace/"
SAID = 2_000
"""Characters of a run's output that are kept."""
LONGEST_RESULTS = 200_000
"""Characters of a results file: all its numbers go into the log, and they are read in the event loop."""
MOST_NUMBERS = 10_000
"""Numbers of a results file: each candidate's are compared with all others', in the event loop too."""
LONGEST_PATHS = 2_000_000
"""Characters of the dotted paths of all numbers together: a name counts once for each number below it."""


@dataclass(frozen=True)
class Candidate:
    """One answer and its run."""

    number: int
    """From 1."""
    files: Mapping[str, str]
    numbers: Mapping[str, float] = field(default_factory=dict)
    """Every number that the run wrote, by its path in the results file."""
    problem: str | None = None
    """Why there are none."""

    def submission(self, task: Task) -> Submission:
        """What would be handed in, without credentials."""
        written = {path: text.encode() for path, text in self.files.items()}
        changed = {path: data for path, data in written.items() if task.workspace.get(path) != data}
        clean, redacted = redact(changed, task.workspace)
        return Submission(clean, redacted=redacted)


async def lay(sandbox: SandboxEnvironment, files: Mapping[str, str]) -> None:
    """Make the workspace as it was given, with these files written over it."""
    await sandbox.exec(["/bin/sh", "-c", RESTORE], timeout=120)
    for path, text in files.items():
        await sandbox.write_file(f"/workspace/{path}", text)


async def execute(
    sandbox: SandboxEnvironment, task: Task, number: int, files: Mapping[str, str]
) -> Candidate:
    """Run the experiment over an answer, in the attempt's own workspace."""
    run = task.assay.run
    if not files:
        return Candidate(number, files, problem="the answer holds no file")
    if run is None:
        return Candidate(number, files, problem="the task has no run command")
    try:
        await lay(sandbox, files)
    except (OSError, ValueError) as error:
        return Candidate(
            number, {}, problem=f"its files cannot be written: {type(error).__name__}: {error}"[:SAID]
        )
    # A results file that was handed in is no result.
    command = f"rm -f {shlex.join(run.written)}; {run.command}" if run.written else run.command
    try:
        process = await sandbox.exec(
            ["/bin/bash", "-c", command], cwd="/workspace", timeout=math.ceil(run.seconds)
        )
        if not process.success:
            output_tail = (process.stderr or process.stdout).strip()[-SAID:]
            return Candidate(
                number, files, problem=f"the run exited with {process.returncode}: {output_tail}"
            )
        # The agent chose the text: the task's pattern may search it for ever.
        numbers = await apart(printed_numbers, run, process.stdout) if run.printed else {}
        if run.results is not None:
            numbers |= _read_numbers(await sandbox.read_file(f"/workspace/{run.results}"))
    except OutputLimitExceededError as error:
        return Candidate(number, files, problem=f"the run printed or wrote more than {error.limit_str}")
    except GradingError as error:
        return Candidate(number, files, problem=f"its numbers could not be read: {error}"[:SAID])
    except (TimeoutError, OSError, ValueError, OverflowError, RecursionError) as error:
        return Candidate(number, files, problem=f"{type(error).__name__}: {error}"[:SAID])
    return Candidate(number, files, numbers, None if numbers else "the run wrote no numbers")


def _read_numbers(results: str) -> dict[str, float]:
    """The numbers of a results file; ValueError if it is longer than any that a person would compare."""
    if len(results) > LONGEST_RESULTS:
        raise ValueError(
            f"the results file has {len(results):,} characters, at most {LONGEST_RESULTS:,} count"
        )
    return numbers_in(read_json(results))


def numbers_in(results: Any) -> dict[str, float]:
    """Every number of a results file, by its dotted path; ValueError if they are too many or too long."""
    numbers: dict[str, float] = {}
    pending: list[tuple[str, Any]] = [("", results)]
    characters = 0
    while pending:
        path, value = pending.pop()
        if isinstance(value, dict | list):
            entries = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
            # Counted before they are made: one long name above many numbers would fill the memory.
            characters += sum(len(path) + len(str(key)) + 1 for key, _ in entries)
            if characters > LONGEST_PATHS:
                raise ValueError(
                    f"the names of the numbers have more than {LONGEST_PATHS:,} characters together"
                )
            pending += [(f"{path}.{key}".lstrip("."), child) for key, child in reversed(entries)]
        elif isinstance(value, int | float) and not isinstance(value, bool):
            if len(numbers) == MOST_NUMBERS:
                raise ValueError(f"the results file has more than {MOST_NUMBERS:,} numbers")
            numbers[path] = float(value)
    return numbers
