"""Brings the rows and source trees of AutoExperiment into the user's cache, at a pinned commit.

The repository carries no licence, so nothing of it ships with Assay.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import unquote, urlparse

from assay.cache import cache_folder, locked
from assay.errors import UsageError
from assay.tasks.metric import Strict
from assay.tasks.suites.autoexperiment.papers import papers
from assay.tasks.suites.autoexperiment.rows import find_root

ORIGIN = "origin.json"
UPSTREAM = "upstream"


class Origin(Strict):
    """Where the cached copy came from."""

    address: str
    commit: str | None
    """None for a plain folder, which pins nothing."""


def home() -> Path:
    """The folder of the cache that holds the copy."""
    return cache_folder("autoexperiment") / UPSTREAM


def fetched() -> Origin | None:
    """Where the cached copy came from, or None where there is none."""
    record = home() / ORIGIN
    return Origin.model_validate_json(record.read_bytes()) if record.is_file() else None


def require() -> Path:
    """The cached copy; an error that says how to get it where it is missing."""
    if fetched() is None:
        raise UsageError(
            "AutoExperiment is not here", hint="`assay fetch autoexperiment` brings it; --source takes a copy"
        )
    return home()


def fetch(source: str | None = None, commit: str | None = None) -> Origin:
    """Put a copy into the cache, in place of an older one: a clone at a commit, or a plain folder's files."""
    table = papers()
    address = source or table.repository
    place = _local(address)
    with locked(home().with_suffix(".lock")):
        partial = Path(tempfile.mkdtemp(prefix=".partial-", dir=home().parent))
        try:
            if place is not None and not _is_repository(place):
                if commit is not None:
                    raise UsageError(f"{place} is no git repository, so it has no commit {commit}")
                shutil.copytree(find_root(place), partial, dirs_exist_ok=True, symlinks=True)
                origin = Origin(address=str(place), commit=None)
            else:
                wanted = commit or table.commit
                _clone(str(place or address), wanted, partial)
                origin = Origin(address=address, commit=wanted)
            find_root(partial)
            (partial / ORIGIN).write_text(json.dumps(origin.model_dump(), indent=2) + "\n")
            if home().exists():
                shutil.rmtree(home())
            partial.rename(home())
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    return origin


def add_tree(paper: str, folder: Path) -> None:
    """Take a paper's source tree from a folder, for a copy that came without one."""
    target = find_root(require()) / paper
    if not target.is_dir():
        known = sorted(
            each.name for each in target.parent.iterdir() if each.is_dir() and each.name[0].isdigit()
        )
        raise UsageError(f"AutoExperiment has no paper {paper!r}", hint=f"papers: {', '.join(known)}")
    if not folder.is_dir():
        raise UsageError(f"there is no folder {str(folder)!r}")
    shutil.rmtree(target / "code", ignore_errors=True)
    shutil.copytree(folder, target / "code", ignore=shutil.ignore_patterns(".git", "__pycache__"))


def _local(address: str) -> Path | None:
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


def _is_repository(place: Path) -> bool:
    return (place / ".git").exists() or ((place / "HEAD").is_file() and (place / "objects").is_dir())


def _clone(address: str, commit: str, folder: Path) -> None:
    _git(folder, "init", "-q")
    shallow = _git(folder, "fetch", "-q", "--depth", "1", address, commit, check=False)
    if shallow.returncode != 0:
        # Not every server hands out a bare commit: then everything is fetched, and the commit looked for.
        whole = _git(folder, "fetch", "-q", address, "+refs/*:refs/fetched/*", check=False)
        if whole.returncode != 0:
            raise UsageError(
                f"{address} cannot be fetched: {whole.stderr.strip()[-300:]}",
                hint="is it reachable? --source takes a local copy",
            )
    done = _git(folder, "-c", "advice.detachedHead=false", "checkout", "-q", commit, check=False)
    if done.returncode != 0:
        raise UsageError(
            f"{address} has no commit {commit}: {done.stderr.strip()[-200:]}",
            hint="name another with --commit",
        )


def _git(folder: Path, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", "-c", "core.hooksPath=/dev/null", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    if check and done.returncode != 0:
        raise UsageError(f"git {arguments[0]} failed: {done.stderr.strip()[-300:]}")
    return done
