"""What sandboxes of a masked task must not show of this machine's programs: copies of the masked functions.

The certificate of a task comes from one machine, and attempts run on others, with other programs. So each
machine searches its own system before the first attempt, and keeps the result until a file of it changes.
Folders with Python code of other programs are not shown at all, and a single file with a copy appears empty.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from pydantic import ValidationError

from assay.cache import cache_folder
from assay.errors import UsageError
from assay.files import publish
from assay.masking.leaks.near_twins import Twin
from assay.masking.leaks.sources import FunctionPlace
from assay.masking.leaks.system_copies import SearchRequest, SystemSearch, search_system
from assay.sandbox.shown_code import ShownCode, shown_code
from assay.tasks import Task
from assay.tasks.kinds import MASKED
from assay.tasks.metric import Strict
from assay.version import __version__
from assay.workspace.task_environment import task_environment


class SystemCopies(Strict):
    """The copies of masked functions in the system, and which paths must appear empty to hide them."""

    covered: tuple[Path, ...] = ()
    hidden: tuple[str, ...] = ()
    """Files with copies that appear empty."""
    unhidden: tuple[Twin, ...] = ()
    """Copies in the standard library of a Python that the sandbox needs."""
    files: int = 0
    unread: int = 0
    seconds: float = 0.0

    @property
    def description(self) -> str:
        """How much was searched, and which copies are hidden."""
        text = f"searched {self.files:,} Python files of the system in {self.seconds:.1f} s"
        if self.unread:
            text += f" ({self.unread:,} files were not read)"
        if self.hidden:
            text += f"; sandboxes hide copies in {', '.join(self.hidden[:3])}"
            text += f" and {len(self.hidden) - 3} more files" if len(self.hidden) > 3 else ""
        return text


def find_system_copies(requests: Sequence[SearchRequest], environment: Path) -> list[SystemCopies]:
    """Search the Python code that sandboxes with this environment show, once for all requests."""
    code = shown_code(environment)
    searches = search_system(requests, [source.path for source in code.sources])
    return [_copies(search, code) for search in searches]


def _copies(search: SystemSearch, code: ShownCode) -> SystemCopies:
    required = {path for path in search.copies if code.is_needed(Path(path))}
    emptied = [Path(path) for path in search.copies if path not in required]
    compiled = [file for path in emptied for file in path.parent.glob(f"__pycache__/{path.stem}.*.pyc")]
    return SystemCopies(
        covered=(*code.hidden, *emptied, *compiled),
        hidden=tuple(map(str, emptied)),
        unhidden=tuple(twin for path in search.copies if path in required for twin in search.copies[path]),
        files=search.files,
        unread=search.unread,
        seconds=search.seconds,
    )


def system_copies(task: Task) -> SystemCopies:
    """Return the copies of a task's masked functions on this machine; nothing for other kinds of tasks."""
    if task.kind != MASKED:
        return SystemCopies()
    return _read_record(task) or _search_for([task])[0]


def search_for_copies(tasks: Iterable[Task]) -> None:
    """Search the system for all tasks that were not searched for since it changed, and keep the results."""
    by_environment: dict[Path, list[Task]] = {}
    for task in tasks:
        if task.kind == MASKED and _read_record(task) is None:
            by_environment.setdefault(task_environment(task), []).append(task)
    for same_environment in by_environment.values():
        _search_for(same_environment)


def _search_for(tasks: Sequence[Task]) -> list[SystemCopies]:
    requests = [
        SearchRequest(
            {FunctionPlace(mask.file, mask.function) for mask in task.assay.masks},
            {**task.workspace, **task.gold_files},
        )
        for task in tasks
    ]
    copies = find_system_copies(requests, task_environment(tasks[0]))
    for task, its_copies in zip(tasks, copies, strict=True):
        publish(_record(task), its_copies.model_dump_json())
    return copies


def _read_record(task: Task) -> SystemCopies | None:
    try:
        return SystemCopies.model_validate_json(_record(task).read_bytes())
    except (OSError, ValidationError):
        return None


def _record(task: Task) -> Path:
    """Return the file with a task's result: another one after a change of the task or of the system."""
    key = f"{__version__} {task.digest} {_listing_digest(task_environment(task))}"
    return cache_folder("system-copies") / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"


def paths_to_cover(task: Task) -> tuple[Path, ...]:
    """Return the paths that must appear empty in an attempt; raise if a copy cannot be hidden."""
    copies = system_copies(task)
    if copies.unhidden:
        raise UsageError(
            f"the masked task {task.id} cannot be attempted on this machine: "
            f"{copies.unhidden[0].description}, and the sandbox's Python needs this file",
            hint="leave the task out, or use a Python without this copy",
        )
    return copies.covered


@cache
def _listing_digest(environment: Path) -> str:
    code = shown_code(environment)
    return hashlib.sha256(repr((code.hidden, code.sources, code.libraries)).encode()).hexdigest()
