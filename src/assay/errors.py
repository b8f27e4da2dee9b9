"""Every error that Assay raises on purpose.

AssayError
├── UsageError            a bad argument or file: exit code 2, one clear line
│   ├── TaskError         a task folder or suite that cannot be read as one
│   ├── MaskError         a function that cannot be taken out of a source, or put back
│   │   └── Unparsable    a source that the running Python cannot read
│   ├── Unmaskable        a repository whose runs cannot be made into sound tasks
│   │   └── OutOfTime     a repository for which the time did not suffice; what is proved is kept
│   ├── CurationRefused   a paper and repository from which no experiment task can be made
│   ├── ReviewConflict    a decision that does not fit what the review contains by now
│   └── BadRequest        a command, path or text that no system call can carry out
├── SandboxError          the place where code runs could not be made or kept
│   └── SandboxRefused    the system forbids user namespaces; the hint says how to fix it
├── ReviewUnwritten       a reviewer's decision is recorded, and the reviewed file could not be written
├── GpuMemoryExceeded     an attempt used more GPU memory than it may: the agent's failure
├── EnvironmentFailed     a task's Python environment could not be built
├── InputMissing          a model or a set of data that a task needs is not here, or was changed
├── ModelUnavailable      a local model could not be fetched, checked or served
├── DiskFull              a disk of this machine has no space left; the hint says what to free
└── GradingError          a grader broke; never the agent's doing until a control grades

An error says what was wrong, what was expected, and (in `hint`) how to fix it.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


class AssayError(Exception):
    """What was wrong and what was expected; `hint` names the command or edit that fixes it."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message


class UsageError(AssayError):
    """The caller asked for something that cannot be."""


class TaskError(UsageError):
    """A task cannot be read; `place` is the file and key at fault."""

    def __init__(self, place: str, message: str, *, hint: str | None = None) -> None:
        super().__init__(f"{place}: {message}", hint=hint)
        self.place = place


class MaskError(UsageError):
    """A mask cannot be made or undone; `reason` says why, in a form fit for a list of skipped functions."""

    def __init__(self, reason: str, *, hint: str | None = None) -> None:
        super().__init__(reason, hint=hint)
        self.reason = reason


class Unparsable(MaskError):
    """The source is not Python that the running interpreter can read, so the file is to be skipped."""


class Unmaskable(UsageError):
    """A repository, a run command or a choice of metrics from which no sound task can be made."""


class OutOfTime(Unmaskable):
    """The time was over before a function was proved; the same call with more time continues."""


class CurationRefused(UsageError):
    """A paper and its repository cannot become experiment tasks; what was found so far is kept."""


class ReviewConflict(UsageError):
    """A reviewer's decision cannot be recorded; the page shows the message, and nothing changes."""


class BadRequest(UsageError):
    """A sandbox was asked for what no system call can do; whoever asked gets this as the answer."""


class ReviewUnwritten(AssayError):
    """A decision is in the audit trail, and the next decision or start writes the reviewed file."""


class SandboxError(AssayError):
    """The sandbox failed, which is never the agent's failure."""


class SandboxRefused(SandboxError):
    """The system refuses the isolation that a sandbox needs."""


class GpuMemoryExceeded(AssayError):
    """What ran in an attempt's sandbox used more GPU memory than the task allows, and was ended."""


class EnvironmentFailed(AssayError):
    """The Python environment of a task could not be built."""


class InputMissing(AssayError):
    """An input of a task is missing, damaged or of other contents than its hash says."""


class ModelUnavailable(AssayError):
    """A local model is missing, damaged or will not serve."""


class GradingError(AssayError):
    """A grader could not reach a verdict."""


class DrawingError(GradingError):
    """A program of the task could not draw inputs; no code of the submission runs there."""


class DiskFull(AssayError):
    """A disk of this machine is full, which is never the agent's failure."""

    @staticmethod
    @contextmanager
    def named(folder: Path) -> Iterator[None]:
        """Say which folder could not be written, where the system only says that there is no space."""
        try:
            yield
        except OSError as error:
            if error.errno not in _NO_SPACE:
                raise
            raise DiskFull(
                f"the disk that holds {folder} is full",
                hint="free space there and give the same command again; finished attempts are kept",
            ) from error


_USAGE = {
    errno.EACCES: "the permission to use it is missing",
    errno.EPERM: "the permission to use it is missing",
    errno.EROFS: "its disk is read-only",
    errno.ENOENT: "it does not exist and cannot be made",
    errno.ENOTDIR: "a part of the path is not a folder",
    errno.EISDIR: "it is a folder, expected a file",
    errno.EEXIST: "something of that name exists already",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ELOOP: "its links lead in a circle",
}


def from_system(error: OSError) -> AssayError | None:
    """A refusal by the system as one of our errors; None where it names no file that a user could change."""
    if error.filename is None:
        return None
    if error.errno in _NO_SPACE:
        return DiskFull(f"{error.filename}: no space is left on its disk", hint="free space there")
    if error.errno not in _USAGE:
        return None
    return UsageError(
        f"{error.filename}: {_USAGE[error.errno]}",
        hint="name a file or folder that you may read and write",
    )
