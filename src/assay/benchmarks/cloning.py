"""Git at a pinned commit: what every suite that is fetched needs, and nothing of any one of them."""

from __future__ import annotations

import io
import os
import subprocess
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlparse

from assay.errors import UsageError
from assay.tasks.files import check_path

LINK, SUBMODULE = "120000", "160000"
"""How git writes what is no plain file."""


def local_folder(address: str) -> Path | None:
    """The folder that an address names on this machine, if it does."""
    if address.startswith("file://"):
        place = Path(unquote(urlparse(address).path))
    elif "://" in address or address.startswith("git@"):
        return None
    else:
        place = Path(address).expanduser()
    if not place.is_dir():
        raise UsageError(f"there is no folder {str(place)!r}", hint="name a checkout, or an address of git")
    return place.resolve()


def is_repository(place: Path) -> bool:
    """Whether a folder is a checkout of git or a bare repository."""
    return (place / ".git").exists() or ((place / "HEAD").is_file() and (place / "objects").is_dir())


def fetch_commit(address: str, commit: str, folder: Path) -> None:
    """A repository in an empty folder that holds one commit of another, with nothing checked out."""
    git(folder, "init", "-q")
    shallow = git(folder, "fetch", "-q", "--depth", "1", address, commit, check=False)
    if shallow.returncode != 0:
        # Not every server hands out a bare commit: then everything is fetched, and the commit looked for.
        whole = git(folder, "fetch", "-q", address, "+refs/*:refs/fetched/*", check=False)
        if whole.returncode != 0:
            raise UsageError(
                f"{address} cannot be fetched: {whole.stderr.strip()[-300:]}",
                hint="is it reachable? --source takes a local copy",
            )


def clone(address: str, commit: str, folder: Path) -> None:
    """A repository's files at a commit, in an empty folder."""
    fetch_commit(address, commit, folder)
    done = git(folder, "-c", "advice.detachedHead=false", "checkout", "-q", commit, check=False)
    if done.returncode != 0:
        raise _no_commit(address, commit, done.stderr)


def read_commit(repository: Path, commit: str, address: str) -> tuple[dict[str, bytes], list[str]]:
    """The files of a commit, and what of it is no plain file and was left out.

    Links to files of the same commit become copies; submodules are left out, and so are contents that a
    partial copy of the repository lacks. `git archive` would obey the repository's own export-ignore.
    """
    listed = git(repository, "ls-tree", "-r", "-z", "--full-tree", commit, check=False)
    if listed.returncode != 0:
        raise _no_commit(address, commit, listed.stderr)
    entries = [entry.split("\t", 1) for entry in listed.stdout.split("\0") if entry]
    kinds = {path: about.split()[0] for about, path in entries}
    blobs = {path: about.split()[2] for about, path in entries if about.split()[1] == "blob"}
    contents = _contents(repository, sorted(set(blobs.values())))
    files: dict[str, bytes] = {}
    left_out: list[str] = []
    for path, kind in kinds.items():
        data = contents.get(blobs.get(path, ""))
        if kind == SUBMODULE or data is None:
            left_out.append(f"{path}: {'a submodule' if kind == SUBMODULE else 'this copy lacks it'}")
        elif not _is_plain(path):
            left_out.append(f"{path}: its name cannot stand in a task")
        elif kind != LINK:
            files[path] = data
    links = [path for path, kind in kinds.items() if kind == LINK and blobs[path] in contents]
    for path in filter(_is_plain, links):
        target = _target(path, contents[blobs[path]].decode(errors="replace"))
        if target in files:
            files[path] = files[target]
        else:
            left_out.append(f"{path}: a link to {target}, which is no file of the commit")
    return files, left_out


def _is_plain(path: str) -> bool:
    try:
        return check_path(path) == path
    except ValueError:
        return False


def _contents(repository: Path, hashes: list[str]) -> dict[str, bytes]:
    """Blob → its bytes; those that are missing are left out."""
    done = subprocess.run(
        ["git", "cat-file", "--batch"],
        cwd=repository,
        env=_environment(),
        input="\n".join(hashes).encode() + b"\n",
        capture_output=True,
    )
    found: dict[str, bytes] = {}
    stream = io.BytesIO(done.stdout)
    while header := stream.readline().split():
        if header[-1] != b"missing":
            found[header[0].decode()] = stream.read(int(header[2]))
            stream.read(1)
    return found


def git(folder: Path, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """One command of git, without hooks, questions or the system's settings."""
    done = subprocess.run(
        ["git", "-c", "core.hooksPath=/dev/null", *arguments],
        cwd=folder,
        env=_environment(),
        capture_output=True,
        text=True,
        errors="replace",
    )
    if check and done.returncode != 0:
        raise UsageError(f"git {arguments[0]} failed: {done.stderr.strip()[-300:]}")
    return done


def _environment() -> dict[str, str]:
    return {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1"}


def _no_commit(address: str, commit: str, said: str) -> UsageError:
    return UsageError(
        f"{address} has no commit {commit}: {said.strip()[-200:]}", hint="name another with --commit"
    )


def _target(link: str, target: str) -> str:
    """Where a link leads, as a path inside the commit."""
    if target.startswith("/"):
        return target
    parts: list[str] = []
    for part in (PurePosixPath(link).parent / target).parts:
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)
