"""A repository at one commit, as a folder; from a plain folder, a working tree or a bare repository."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from assay.cache import cache_folder
from assay.errors import UsageError
from assay.tasks.files import check_path

SKIPPED_FOLDERS = {
    ".git",
    ".hg",
    ".svn",
    "__pycache__",
    ".venv",
    "venv",
    ".tox",
    "node_modules",
    ".mypy_cache",
}
_PROGRAM = "100755"
_LINK = "120000"
_SUBMODULE = "160000"


@dataclass(frozen=True)
class RepositorySource:
    """The files of a repository in a folder that nobody changes."""

    name: str
    """Address of the repository if it has one, else the folder's name."""
    folder: Path
    commit: str | None
    committed: date | None
    """The day of the commit, in UTC; None without history."""
    paths: list[str]
    digest: str
    """Hash of every path and content."""
    notes: tuple[str, ...] = ()


@contextmanager
def open_repository(repository: Path, commit: str | None = None) -> Iterator[RepositorySource]:
    """Open the repository's files; the files of a commit go to a temporary folder."""
    if not repository.is_dir():
        raise UsageError(
            f"{repository} is no folder: expected a repository",
            hint="give a folder of Python code, or a git repository (also a bare one) and --commit",
        )
    if commit is None and not _is_bare(repository):
        yield _from_folder(repository)
        return
    if _git(repository, "rev-parse", "--git-dir") is None:
        raise UsageError(
            f"{repository} is no git repository, so it has no commit {commit!r}", hint="omit --commit"
        )
    revision = commit or "HEAD"
    resolved = _git(
        repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
    )
    if resolved is None:
        raise UsageError(
            f"{repository} has no commit {revision!r}",
            hint="`git log` lists them; a shallow clone may lack it: `git fetch --unshallow`",
        )
    with tempfile.TemporaryDirectory(prefix=".partial-", dir=cache_folder("sources")) as folder_path:
        folder = Path(folder_path)
        folder.chmod(0o755)
        yield _from_commit(repository, resolved.strip(), folder)


def _from_folder(folder: Path) -> RepositorySource:
    paths, notes = [], []
    for folder_path, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - SKIPPED_FOLDERS)
        for name in names:
            path = Path(folder_path, name)
            relative = path.relative_to(folder).as_posix()
            if path.is_symlink() or not path.is_file() or not _is_valid_path(relative):
                notes.append(f"{relative} is a link or has an unusual name, and was skipped")
            else:
                paths.append(relative)
    top = _git(folder, "rev-parse", "--show-toplevel")
    is_top_folder = top is not None and Path(top.strip()) == folder.resolve()
    commit = _git(folder, "rev-parse", "--verify", "--quiet", "HEAD") if is_top_folder else None
    clean = commit is not None and _git(folder, "status", "--porcelain") == ""
    if commit and not clean:
        notes.append("the working tree differs from its commit; Assay used the files of the working tree")
    return RepositorySource(
        _name(folder),
        folder.resolve(),
        commit.strip() if commit and clean else None,
        _day(folder, commit.strip()) if commit else None,
        sorted(paths),
        _digest(folder, sorted(paths)),
        tuple(notes),
    )


def _from_commit(repository: Path, commit: str, folder: Path) -> RepositorySource:
    listing = _git(repository, "ls-tree", "-r", "-z", commit) or ""
    blobs, programs, notes = {}, [], []
    for entry in listing.split("\0"):
        match = re.fullmatch(r"(\d+) \w+ (\w+)\t(.+)", entry, re.DOTALL)
        if match is None:
            continue
        mode, blob, path = match.groups()
        if mode == _SUBMODULE:
            notes.append(f"{path} is a submodule, whose code is not here")
        elif mode == _LINK or not _is_valid_path(path):
            notes.append(f"{path} is a link or has an unusual name, and was skipped")
        else:
            blobs[path] = blob
            if mode == _PROGRAM:
                programs.append(path)
    absent = _write_blobs(repository, blobs, folder)
    for path in set(programs) - set(absent):
        (folder / path).chmod(0o755)
    notes += [f"{path} is listed but not stored in the repository" for path in absent]
    paths = sorted(set(blobs) - set(absent))
    return RepositorySource(
        _name(repository),
        folder,
        commit,
        _day(repository, commit),
        paths,
        _digest(folder, paths),
        tuple(notes),
    )


def _write_blobs(repository: Path, blobs: dict[str, str], folder: Path) -> list[str]:
    """Write every blob below the folder; return the paths that the repository does not contain."""
    absent = []
    command = ["git", "-C", str(repository), "cat-file", "--batch", "--buffer"]
    with tempfile.TemporaryFile() as blob_list:
        blob_list.write("".join(f"{blob}\n" for blob in blobs.values()).encode())
        blob_list.seek(0)
        with subprocess.Popen(
            command, stdin=blob_list, stdout=subprocess.PIPE, env=_git_environment()
        ) as process:
            assert process.stdout is not None
            for path in blobs:
                header = process.stdout.readline().split()
                if len(header) != 3 or header[1] != b"blob":
                    absent.append(path)
                    continue
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(process.stdout.read(int(header[2])))
                process.stdout.read(1)
    return absent


def _digest(folder: Path, paths: list[str]) -> str:
    total = hashlib.sha256()
    for path in paths:
        with (folder / path).open("rb") as handle:
            content = hashlib.file_digest(handle, "sha256").hexdigest()
        total.update(f"{path}\0{content}\n".encode())
    return total.hexdigest()


def _name(repository: Path) -> str:
    address = _git(repository, "config", "--get", "remote.origin.url")
    if address and re.match(r"https?://|git@|ssh://", address) and not re.search(r"//[^/]*:[^/]*@", address):
        return address.strip()
    return repository.resolve().name


def _is_bare(repository: Path) -> bool:
    answers = _git(repository, "rev-parse", "--is-bare-repository", "--is-inside-git-dir")
    return answers is not None and answers.split() == ["true", "true"]


def _day(repository: Path, commit: str) -> date | None:
    timestamp = _git(repository, "show", "-s", "--format=%ct", commit)
    return datetime.fromtimestamp(int(timestamp), UTC).date() if timestamp else None


def _is_valid_path(path: str) -> bool:
    try:
        return bool(check_path(path))
    except ValueError:
        return False


def _git_environment() -> dict[str, str]:
    """Return variables for git without the user's settings and without requests to a server."""
    settings = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_NO_LAZY_FETCH": "1"}
    safe_folder = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", **settings, **safe_folder}


def _git(repository: Path, *arguments: str) -> str | None:
    """Return git's output, or None if it fails."""
    completed = subprocess.run(
        ["git", "-C", str(repository), *arguments], capture_output=True, env=_git_environment(), check=False
    )
    return completed.stdout.decode(errors="replace") if completed.returncode == 0 else None
