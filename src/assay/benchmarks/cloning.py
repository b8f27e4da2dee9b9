"""Reads git repositories at a pinned commit, for every suite that is fetched."""

from __future__ import annotations

import io
import os
import subprocess
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlparse

from assay.errors import UsageError
from assay.tasks.files import check_path

LINK, SUBMODULE = "120000", "160000"
"""Git's modes for what is not a plain file."""


def local_folder(address: str) -> Path | None:
    """Return the local folder to which an address refers; None for a remote address."""
    if address.startswith("file://"):
        place = Path(unquote(urlparse(address).path))
    elif "://" in address or address.startswith("git@"):
        return None
    else:
        place = Path(address).expanduser()
    if not place.is_dir():
        raise UsageError(
            f"there is no folder {str(place)!r}", hint="name a checkout, or the address of a git repository"
        )
    return place.resolve()


def is_repository(place: Path) -> bool:
    """Whether a folder is a git checkout or a bare repository."""
    return (place / ".git").exists() or ((place / "HEAD").is_file() and (place / "objects").is_dir())


def fetch_commit(address: str, commit: str, folder: Path) -> None:
    """Make a repository in an empty folder with one commit of another, without checking it out."""
    git(folder, "init", "-q")
    shallow = git(folder, "fetch", "-q", "--depth", "1", address, commit, check=False)
    if shallow.returncode != 0:
        # Some servers do not serve a single commit; then everything is fetched.
        full = git(folder, "fetch", "-q", address, "+refs/*:refs/fetched/*", check=False)
        if full.returncode != 0:
            raise UsageError(
                f"{address} cannot be fetched: {full.stderr.strip()[-300:]}",
                hint="check that it is reachable, or use a local copy with --source",
            )


def clone(address: str, commit: str, folder: Path) -> None:
    """Put a repository's files at a commit into an empty folder."""
    fetch_commit(address, commit, folder)
    checkout = git(folder, "-c", "advice.detachedHead=false", "checkout", "-q", commit, check=False)
    if checkout.returncode != 0:
        raise _no_commit(address, commit, checkout.stderr)


def read_commit(repository: Path, commit: str, address: str) -> tuple[dict[str, bytes], list[str]]:
    """Return the files of a commit, and a note for each path that was left out.

    Links to files of the same commit become copies. Submodules are left out, and also files that a partial
    copy of the repository lacks. `git archive` is not used, because it obeys the repository's export-ignore.
    """
    listed = git(repository, "ls-tree", "-r", "-z", "--full-tree", commit, check=False)
    if listed.returncode != 0:
        raise _no_commit(address, commit, listed.stderr)
    entries = [entry.split("\t", 1) for entry in listed.stdout.split("\0") if entry]
    kinds = {path: attributes.split()[0] for attributes, path in entries}
    blobs = {path: attributes.split()[2] for attributes, path in entries if attributes.split()[1] == "blob"}
    contents = _contents(repository, sorted(set(blobs.values())))
    files: dict[str, bytes] = {}
    left_out: list[str] = []
    for path, kind in kinds.items():
        data = contents.get(blobs.get(path, ""))
        if kind == SUBMODULE or data is None:
            left_out.append(f"{path}: {'a submodule' if kind == SUBMODULE else 'this copy lacks it'}")
        elif not _is_plain(path):
            left_out.append(f"{path}: its name is not allowed in a task")
        elif kind != LINK:
            files[path] = data
    links = [path for path, kind in kinds.items() if kind == LINK and blobs[path] in contents]
    for path in filter(_is_plain, links):
        target = _target(path, contents[blobs[path]].decode(errors="replace"))
        if target in files:
            files[path] = files[target]
        else:
            left_out.append(f"{path}: a link to {target}, which is not a file of the commit")
    return files, left_out


def _is_plain(path: str) -> bool:
    try:
        return check_path(path) == path
    except ValueError:
        return False


def _contents(repository: Path, hashes: list[str]) -> dict[str, bytes]:
    """Return blob → its bytes; missing blobs are left out."""
    process = subprocess.run(
        ["git", "cat-file", "--batch"],
        cwd=repository,
        env=_environment(),
        input="\n".join(hashes).encode() + b"\n",
        capture_output=True,
    )
    contents: dict[str, bytes] = {}
    stream = io.BytesIO(process.stdout)
    while header := stream.readline().split():
        if header[-1] != b"missing":
            contents[header[0].decode()] = stream.read(int(header[2]))
            stream.read(1)
    return contents


def git(folder: Path, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run one git command, without hooks, prompts or system settings."""
    process = subprocess.run(
        ["git", "-c", "core.hooksPath=/dev/null", *arguments],
        cwd=folder,
        env=_environment(),
        capture_output=True,
        text=True,
        errors="replace",
    )
    if check and process.returncode != 0:
        raise UsageError(f"git {arguments[0]} failed: {process.stderr.strip()[-300:]}")
    return process


def _environment() -> dict[str, str]:
    return {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1"}


def _no_commit(address: str, commit: str, error_text: str) -> UsageError:
    return UsageError(
        f"{address} has no commit {commit}: {error_text.strip()[-200:]}",
        hint="name another commit with --commit",
    )


def _target(link: str, target: str) -> str:
    """Return the target of a link, as a path in the commit."""
    if target.startswith("/"):
        return target
    parts: list[str] = []
    for part in (PurePosixPath(link).parent / target).parts:
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)
