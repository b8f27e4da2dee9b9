"""A repository as it was found: its files without history, and what it says it needs."""

from __future__ import annotations

import configparser
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from email.parser import Parser
from importlib.metadata import distributions
from pathlib import Path

from assay.errors import TaskError, Unmaskable
from assay.rules.documents import read_toml
from assay.tasks.files import check_path
from assay.workspace import build_environment

HISTORY = {".git", ".hg", ".svn"}
CACHES = {"__pycache__", ".tox", ".nox", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis"}
CACHES |= {".ipynb_checkpoints", ".eggs", ".cache", ".venv", "venv", "node_modules"}
PASSED_OVER = HISTORY | CACHES
_ARTEFACT = re.compile(
    r"(?:dist|build|wheelhouse|htmlcov)/|(?:.*/)?[^/]+\.(?:egg-info|dist-info)/|(?:.*/)?_build/|"
    r".*\.(?:whl|egg|pyc|pyo|orig|rej|bak|swp)$|(?:.*/)?\.coverage$"
)
"""What builds and editors leave; it often holds an older copy of the code."""
MOST_BYTES = 200_000_000
_NAME = re.compile(r"[^A-Za-z0-9.-]+")
_REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class Repository:
    """What a folder holds, history and caches left out."""

    name: str
    files: dict[str, bytes]
    left_out: tuple[str, ...]
    """Links and files with odd names, which a task cannot hold."""
    artefacts: dict[str, bytes] = field(default_factory=dict)
    """What builds have left; no part of `files`."""

    @property
    def python_files(self) -> dict[str, bytes]:
        """The sources, by path."""
        return {path: data for path, data in self.files.items() if path.endswith(".py")}


def read_repository(folder: Path) -> Repository:
    """Every plain file of a repository; refuses what is none."""
    if not folder.is_dir():
        raise Unmaskable(f"{folder} is no folder, expected a repository", hint="name the folder of the code")
    files: dict[str, bytes] = {}
    left_out = []
    size = 0
    for path in sorted(folder.rglob("*")):
        place = path.relative_to(folder)
        if PASSED_OVER.intersection(place.parts) or (path.is_dir() and not path.is_symlink()):
            continue
        if path.is_symlink() or not path.is_file() or not _speakable(place.as_posix()):
            left_out.append(place.as_posix())
            continue
        size += path.stat().st_size
        if size > MOST_BYTES:
            raise Unmaskable(
                f"{folder} holds more than {MOST_BYTES // 1_000_000} MB, too much for a task's workspace",
                hint="copy the part that the run needs and name that",
            )
        files[place.as_posix()] = path.read_bytes()
    artefacts = {each: files.pop(each) for each in _artefacts(files)}
    name = _NAME.sub("-", folder.resolve().name).strip("-.") or "repository"
    found = Repository(name, files, tuple(left_out), artefacts)
    if not found.python_files:
        raise Unmaskable(f"{folder} holds no Python file, so there is no function to mask")
    return found


def _artefacts(paths: Collection[str]) -> list[str]:
    """The paths that builds have left; a folder that is a package is source, whatever its name."""
    return [
        path
        for path in paths
        if _ARTEFACT.match(path) and f"{path.partition('/')[0]}/__init__.py" not in paths
    ]


def _speakable(path: str) -> bool:
    try:
        return bool(check_path(path))
    except ValueError:
        return False


def requirements_of(repository: Repository, given: list[str]) -> list[str]:
    """What the run needs: what was given (packages, or files that list them), else what the files say."""
    if given:
        return [each for word in given for each in _given(word)]
    for name, reader in (
        ("requirements.txt", _listed),
        ("pyproject.toml", _from_pyproject),
        ("setup.cfg", _from_setup),
        ("PKG-INFO", _from_package_info),
    ):
        if name in repository.files:
            found = reader(repository.files[name].decode(errors="replace"))
            if found:
                return found
    return []


def pin(requirements: list[str]) -> list[str]:
    """The exact versions that an environment with these requirements holds."""
    if not requirements:
        return []
    environment = build_environment(requirements)
    places = [str(each) for each in environment.glob("lib/python*/site-packages")]
    pins = {each.metadata["Name"]: each.version for each in distributions(path=places)}
    return sorted(f"{name}=={version}" for name, version in pins.items())


def _given(word: str) -> list[str]:
    if Path(word).is_file():
        return _listed(Path(word).read_text())
    if not _REQUIREMENT.match(word):
        raise TaskError("--requirements", f"{word!r} is neither a package nor a file that lists packages")
    return [word]


def _listed(text: str) -> list[str]:
    lines = (line.split(" #")[0].split(" --")[0].strip() for line in text.splitlines())
    return [line for line in lines if _REQUIREMENT.match(line)]


def _from_pyproject(text: str) -> list[str]:
    try:
        found = read_toml(text).get("project", {}).get("dependencies", [])
    except (ValueError, AttributeError):
        return []
    return [each for each in found if isinstance(each, str)]


def _from_setup(text: str) -> list[str]:
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except configparser.Error:
        return []
    return _listed(parser.get("options", "install_requires", fallback=""))


def _from_package_info(text: str) -> list[str]:
    found = Parser().parsestr(text, headersonly=True).get_all("Requires-Dist") or []
    return [each for each in found if "extra ==" not in each]
