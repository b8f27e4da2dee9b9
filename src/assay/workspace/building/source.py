"""A repository at one commit, laid out as a folder; it may be a plain folder, a working tree or bare."""

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

PASSED_OVER = {".git", ".hg", ".svn", "__pycache__", ".venv", "venv", ".tox", "node_modules", ".mypy_cache"}
_PROGRAM = "100755"
_LINK = "120000"
_SUBMODULE = "160000"


@dataclass(frozen=True)
class Source:
    """The code as it lies in a folder, which nobody changes."""

    name: str
    """Its address if it has one, else the folder's name."""
    folder: Path
    commit: str | None
    committed: date | None
    """The day of the commit, in UTC; None where there is no history."""
    paths: list[str]
    digest: str
    """Of every path and content."""
    notes: tuple[str, ...] = ()


@contextmanager
def opened(repository: Path, commit: str | None = None) -> Iterator[Source]:
    """The repository's files; those of a commit are laid out in a folder that goes away afterwards."""
    if not repository.is_dir():
        raise UsageError(
            f"{repository} is no folder, expected a repository",
            hint="name a folder of Python code, or a git repository (a bare one too) and --commit",
        )
    if commit is None and not _is_bare(repository):
        yield _from_folder(repository)
        return
    if _git(repository, "rev-parse", "--git-dir") is None:
        raise UsageError(
            f"{repository} is no git repository, so it has no commit {commit!r}", hint="leave --commit out"
        )
    wanted = commit or "HEAD"
    found = _git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{wanted}^{{commit}}")
    if found is None:
        raise UsageError(
            f"{repository} has no commit {wanted!r}",
            hint="`git log` lists them; a shallow clone may lack it: `git fetch --unshallow`",
        )
    with tempfile.TemporaryDirectory(prefix=".partial-", dir=cache_folder("sources")) as place:
        folder = Path(place)
        folder.chmod(0o755)
        yield _from_commit(repository, found.strip(), folder)


def _from_folder(folder: Path) -> Source:
    paths, notes = [], []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - PASSED_OVER)
        for name in names:
            path = Path(place, name)
            relative = path.relative_to(folder).as_posix()
            if path.is_symlink() or not path.is_file() or not _speakable(relative):
                notes.append(f"{relative} is a link or has an odd name, and was passed over")
            else:
                paths.append(relative)
    top = _git(folder, "rev-parse", "--show-toplevel")
    whole = top is not None and Path(top.strip()) == folder.resolve()
    commit = _git(folder, "rev-parse", "--verify", "--quiet", "HEAD") if whole else None
    clean = commit is not None and _git(folder, "status", "--porcelain") == ""
    if commit and not clean:
        notes.append("the working tree differs from its commit; the files as they lie were taken")
    return Source(
        _name(folder),
        folder.resolve(),
        commit.strip() if commit and clean else None,
        _day(folder, commit.strip()) if commit else None,
        sorted(paths),
        _digest(folder, sorted(paths)),
        tuple(notes),
    )


def _from_commit(repository: Path, commit: str, folder: Path) -> Source:
    listing = _git(repository, "ls-tree", "-r", "-z", commit) or ""
    wanted, programs, notes = {}, [], []
    for entry in listing.split("\0"):
        match = re.fullmatch(r"(\d+) \w+ (\w+)\t(.+)", entry, re.DOTALL)
        if match is None:
            continue
        mode, blob, path = match.groups()
        if mode == _SUBMODULE:
            notes.append(f"{path} is a submodule, whose code is not here")
        elif mode == _LINK or not _speakable(path):
            notes.append(f"{path} is a link or has an odd name, and was passed over")
        else:
            wanted[path] = blob
            if mode == _PROGRAM:
                programs.append(path)
    absent = _write_blobs(repository, wanted, folder)
    for path in set(programs) - set(absent):
        (folder / path).chmod(0o755)
    notes += [f"{path} is listed but not stored in the repository" for path in absent]
    paths = sorted(set(wanted) - set(absent))
    return Source(
        _name(repository),
        folder,
        commit,
        _day(repository, commit),
        paths,
        _digest(folder, paths),
        tuple(notes),
    )


def _write_blobs(repository: Path, wanted: dict[str, str], folder: Path) -> list[str]:
    """Write every blob below the folder; tells which the repository does not hold."""
    absent = []
    command = ["git", "-C", str(repository), "cat-file", "--batch", "--buffer"]
    with tempfile.TemporaryFile() as asked:
        asked.write("".join(f"{blob}\n" for blob in wanted.values()).encode())
        asked.seek(0)
        with subprocess.Popen(command, stdin=asked, stdout=subprocess.PIPE, env=_quiet()) as process:
            assert process.stdout is not None
            for path in wanted:
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
    inside = _git(repository, "rev-parse", "--is-bare-repository", "--is-inside-git-dir")
    return inside is not None and inside.split() == ["true", "true"]


def _day(repository: Path, commit: str) -> date | None:
    told = _git(repository, "show", "-s", "--format=%ct", commit)
    return datetime.fromtimestamp(int(told), UTC).date() if told else None


def _speakable(path: str) -> bool:
    try:
        return bool(check_path(path))
    except ValueError:
        return False


def _quiet() -> dict[str, str]:
    """Git without the user's settings, and without asking a server for what is absent."""
    settings = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_NO_LAZY_FETCH": "1"}
    trusted = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", **settings, **trusted}


def _git(repository: Path, *arguments: str) -> str | None:
    """What git says, or None where it fails."""
    done = subprocess.run(
        ["git", "-C", str(repository), *arguments], capture_output=True, env=_quiet(), check=False
    )
    return done.stdout.decode(errors="replace") if done.returncode == 0 else None
