"""Creates the folder an agent sees: the task's files as one fresh commit, without history and remotes."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from assay.cache import cache_folder
from assay.errors import SandboxError
from assay.files import publishing
from assay.tasks.files import write_tree
from assay.tasks.model import Task

IDENTITY = {
    "GIT_AUTHOR_NAME": "task",
    "GIT_AUTHOR_EMAIL": "task@localhost",
    "GIT_AUTHOR_DATE": "2000-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME": "task",
    "GIT_COMMITTER_EMAIL": "task@localhost",
    "GIT_COMMITTER_DATE": "2000-01-01T00:00:00Z",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TEMPLATE_DIR": "",
}


def checkout(task: Task) -> Path:
    """Return the task's original workspace in the user's cache; create it once for each task digest."""
    folder = cache_folder("workspaces") / task.digest[:32]
    if not folder.is_dir():
        with publishing(folder, keep_existing=True) as partial:
            partial.mkdir(mode=0o755)
            write_tree(task.workspace, partial)
            commit_once(partial)
    return folder


def write_folder(files: Mapping[str, bytes], folder: Path) -> Path:
    """Write these files into a folder, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    write_tree(files, folder)
    return folder


def commit_once(folder: Path) -> None:
    """Make the folder a repository with exactly one commit of everything in it."""
    for arguments in (
        ["init", "-q", "-b", "main"],
        ["add", "-A", "-f"],
        ["commit", "-q", "--allow-empty", "-m", "task"],
        ["repack", "-q", "-a", "-d"],  # one pack file instead of many folders: every grading copies them
    ):
        completed = subprocess.run(
            ["git", "-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", *arguments],
            cwd=folder,
            env={"PATH": os.environ.get("PATH", os.defpath), **IDENTITY},
            capture_output=True,
            text=True,
        )
        if completed.returncode != 0:
            raise SandboxError(f"git {arguments[0]} failed in a new workspace: {completed.stderr.strip()}")
    shutil.rmtree(folder / ".git" / "logs", ignore_errors=True)
