"""What was handed in, as differences from the workspace that was given; small ones only.

Submissions lie beside their logs. Where the suite cannot be loaded, or the task has changed since, a file is
shown whole. A diff is text that an agent wrote: it is data in the page, like every other evidence.
"""

from __future__ import annotations

import difflib
import tarfile
from collections.abc import Iterable, Iterator, Mapping

from assay.benchmarks import load_suite
from assay.errors import AssayError
from assay.files import place
from assay.scoring import Attempt
from assay.tasks import Task
from assay.workspace import Submission

SUBMISSIONS = "submissions"
LONGEST = 16_000
"""Characters of one submission's diff."""
MOST = 1_200_000
"""Characters of all diffs together."""
LARGEST_FILE = 150_000


def gather(attempts: Iterable[Attempt]) -> dict[str, str]:
    """Submission → its diff, until all together are large enough.

    Only of measured agents: calibrators hand in the truth, which a report that is passed on must not hold.
    """
    diffs: dict[str, str] = {}
    left = MOST
    tasks: dict[str, dict[str, Task]] = {}
    archived = _Archived()
    for attempt in (attempt for attempt in attempts if attempt.role == "agent"):
        if left <= 0:
            break
        if not attempt.submission or attempt.submission in diffs:
            continue
        submission = archived.load(attempt)
        if submission is None:
            continue
        text = "\n".join(_lines(submission, _workspace(attempt, tasks)))
        if len(text) > LONGEST:
            text = f"{text[:LONGEST]}\n=== cut here; the whole lies in {SUBMISSIONS}/{attempt.submission}.tar"
        diffs[attempt.submission] = text
        left -= len(text)
    return diffs


class _Archived:
    """The submissions beside the logs; each folder is listed once."""

    def __init__(self) -> None:
        self._names: dict[str, set[str]] = {}

    def load(self, attempt: Attempt) -> Submission | None:
        """A submission, None where it is not there or not what its name says."""
        if attempt.log not in self._names:
            folder = place(attempt.log).parent / SUBMISSIONS
            self._names[attempt.log] = {path.stem for path in folder.glob("*.tar")}
        if attempt.submission not in self._names[attempt.log]:
            return None
        try:
            return Submission.load(place(attempt.log).parent / SUBMISSIONS, attempt.submission)
        except (AssayError, OSError, ValueError, KeyError, tarfile.TarError):
            return None


def _workspace(attempt: Attempt, tasks: dict[str, dict[str, Task]]) -> Mapping[str, bytes] | None:
    """What was given, where it can still be known."""
    source = attempt.source or attempt.suite
    if source not in tasks:
        try:
            tasks[source] = {task.id: task for task in load_suite(source).tasks}
        except (AssayError, OSError, ValueError):
            tasks[source] = {}
    task = tasks[source].get(attempt.task)
    return task.workspace if task is not None and task.digest == attempt.digest else None


def _lines(submission: Submission, workspace: Mapping[str, bytes] | None) -> Iterator[str]:
    if workspace is None:
        yield "=== files are shown whole: the task as it was then is not at hand"
    if not submission.files and not submission.deleted:
        yield "=== nothing was changed"
    for path, data in sorted(submission.files.items()):
        yield from _file(path, (workspace or {}).get(path), data)
    for path in sorted(submission.deleted):
        yield f"=== {path}: deleted"
    for path, why in sorted(submission.refused.items()):
        yield f"=== {path}: not taken, {why}"


def _file(path: str, old: bytes | None, new: bytes) -> Iterator[str]:
    kind = "changed" if old is not None else "new"
    if b"\0" in new or len(new) > LARGEST_FILE or len(old or b"") > LARGEST_FILE:
        yield f"=== {path}: {kind}, {len(new):,} bytes, not shown"
        return
    yield f"=== {path}: {kind}"
    before = (old or b"").decode(errors="replace").splitlines()
    after = new.decode(errors="replace").splitlines()
    if old is None:
        yield from (f"+{line}" for line in after)
        return
    yield from list(difflib.unified_diff(before, after, lineterm="", n=2))[2:]
