"""The submission laid over the pristine workspace: what of it counts, and the folder that grading runs in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.grading.own_code import without_reader
from assay.rules.fresh_calls import is_loaded_by_pytest, runs_unit_tests
from assay.rules.handed_in import NAME_LIMIT, over_folder_limit, within_name_limit
from assay.rules.plain_paths import is_plain
from assay.tasks import Task
from assay.tasks.files import folders_of
from assay.workspace import Submission, write_folder


@dataclass(frozen=True)
class Merged:
    """A workspace for grading, before it is written anywhere."""

    files: dict[str, bytes]
    ignored: list[str]
    """Paths of the submission that do not count."""
    executable: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()

    @property
    def digest(self) -> str:
        """Hash of all that `write` writes."""
        names = json.dumps([sorted(part) for part in (self.executable, self.folders, self.links)])
        hasher = hashlib.sha256(names.encode())
        for path, data in sorted(self.files.items()):
            hasher.update(f"\0{path}\0{len(data)}\0".encode(errors="surrogateescape") + data)
        return hasher.hexdigest()

    def write(self, folder: Path) -> None:
        """Write everything; links come last, so that nothing is ever written through one."""
        write_folder(self.files, folder)
        for path in self.executable:
            (folder / path).chmod(0o755)
        for path in self.folders:
            (folder / path).mkdir(parents=True, exist_ok=True)
        for path, target in self.links:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).symlink_to(target)


REPOSITORY = ".git"
"""In the clean workspace it is the one that the agent was given."""


class Merging:
    """Takes over one path after another, as long as it neither clashes nor is fixed."""

    def __init__(self, task: Task, remade: set[str]) -> None:
        self._given, self._editable, self._remade = task.workspace, task.assay.submission.editable, remade
        self.files = {path: data for path, data in task.workspace.items() if path not in remade}
        self._code_only = task.assay.submission.code_only
        self._runs_tests = task.assay.run is not None and runs_unit_tests(task.assay.run.command)
        self.links: dict[str, str] = {}
        self.ignored: list[str] = []
        self._over_limit: Collection[str] = ()
        self._folders = {folder for path in self.files for folder in folders_of(path)}

    def delete(self, path: str) -> None:
        """Take a given file away, where the agent may."""
        if self._editable is None or path in self._editable:
            self.files.pop(path, None)
        else:
            self.ignored.append(path)

    def leave_out(self, paths: Collection[str]) -> None:
        """Accept none of these paths, whatever they are."""
        self._over_limit = paths

    def within(self, most: int | None, names: Mapping[str, str]) -> list[str]:
        """The paths whose text, one after the other, fits into so many bytes; the others do not count."""
        if most is None:
            return list(names)
        fitting = within_name_limit(names, most)
        self.ignored += names.keys() - {*fitting}
        return fitting

    def accepts(self, path: str, *, folder: bool = False) -> bool:
        """Whether a path can stand beside what is there; its folders are then taken for it."""
        if path in self._over_limit:
            self.ignored.append(path)
            return False
        fixed = path in self._given and self._editable is not None and path not in self._editable
        above = folders_of(path)
        clash = (path in self._folders and not folder) or any(
            parent in self.files or parent in self.links for parent in (*above, *([path] if folder else ()))
        )
        code = path.endswith(".py") or path in self._given or folder
        left_out = path in self._remade or (self._code_only and not code) or path.split("/")[0] == REPOSITORY
        left_out = left_out or (self._runs_tests and is_loaded_by_pytest(path))
        if left_out or fixed or clash or not is_plain(path):
            self.ignored.append(path)
            return False
        self._folders.update(above)
        return True


def merge(task: Task, submission: Submission) -> Merged:
    """The clean workspace with what of the submission counts laid over it, and what was ignored."""
    run, challenge = task.assay.run, task.assay.challenge
    remade = set(run.written) if run else set()
    if challenge is not None and challenge.build is not None:
        remade |= set(challenge.artefacts)
    merging = Merging(task, remade)
    for path in submission.deleted:
        merging.delete(path)
    merging.ignored += (unreadable := without_reader(task, submission))
    # What is collected has fewer folders; archives and recordings may come from elsewhere.
    paths = (*submission.files, *submission.folders, *submission.links)
    merging.leave_out(over_folder_limit(paths, {*task.workspace, *task.assay.submission.required}))
    for path, data in submission.files.items():
        if path not in unreadable and merging.accepts(path):
            merging.files[path] = data
    room = NAME_LIMIT if challenge is not None else None
    folders = [
        path
        for path in merging.within(room, {path: path for path in submission.folders})
        if merging.accepts(path, folder=True)
    ]
    room = room if room is None else room - sum(len(path.encode()) for path in folders)
    for path in merging.within(room, {path: path + target for path, target in submission.links.items()}):
        if path not in merging.files and path not in folders and merging.accepts(path):
            merging.links[path] = submission.links[path]
    counted = set(submission.executable) - set(merging.ignored)
    editable = task.assay.submission.editable
    return Merged(
        files=merging.files,
        ignored=sorted(merging.ignored),
        executable=tuple(
            path
            for path in sorted(counted & merging.files.keys())
            if editable is None or path in editable or path not in task.workspace
        ),
        folders=tuple(folders),
        links=tuple(merging.links.items()),
    )
