"""Reads a repository: its files without history, and its requirements."""

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
SKIPPED_FOLDERS = HISTORY | CACHES
_ARTEFACT = re.compile(
    r"(?:dist|build|wheelhouse|htmlcov)/|(?:.*/)?[^/]+\.(?:egg-info|dist-info)/|(?:.*/)?_build/|"
    r".*\.(?:whl|egg|pyc|pyo|orig|rej|bak|swp)$|(?:.*/)?\.coverage$"
)
"""Files of builds and editors, which often contain an older copy of the code."""
MAX_BYTES = 200_000_000
_NAME = re.compile(r"[^A-Za-z0-9.-]+")
_REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class Repository:
    """The files of a folder, without history and caches."""

    name: str
    files: dict[str, bytes]
    left_out: tuple[str, ...]
    """Links and files with unusual names, which a task cannot contain."""
    artefacts: dict[str, bytes] = field(default_factory=dict)
    """Build artefacts, which are not in `files`."""

    @property
    def python_files(self) -> dict[str, bytes]:
        """The sources, by path."""
        return {path: data for path, data in self.files.items() if path.endswith(".py")}


def read_repository(folder: Path) -> Repository:
    """Read every plain file of a repository; raise if the folder is none."""
    if not folder.is_dir():
        raise Unmaskable(f"{folder} is no folder, expected a repository", hint="name the folder of the code")
    files: dict[str, bytes] = {}
    left_out = []
    size = 0
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if SKIPPED_FOLDERS.intersection(relative.parts) or (path.is_dir() and not path.is_symlink()):
            continue
        if path.is_symlink() or not path.is_file() or not _is_valid_path(relative.as_posix()):
            left_out.append(relative.as_posix())
            continue
        size += path.stat().st_size
        if size > MAX_BYTES:
            raise Unmaskable(
                f"{folder} holds more than {MAX_BYTES // 1_000_000} MB, too much for a task's workspace",
                hint="copy the part that the run needs and name that",
            )
        files[relative.as_posix()] = path.read_bytes()
    artefacts = {path_inside: files.pop(path_inside) for path_inside in _artefacts(files)}
    name = _NAME.sub("-", folder.resolve().name).strip("-.") or "repository"
    repository = Repository(name, files, tuple(left_out), artefacts)
    if not repository.python_files:
        raise Unmaskable(f"{folder} holds no Python file, so there is no function to mask")
    return repository


def _artefacts(paths: Collection[str]) -> list[str]:
    """Return the paths of build artefacts; a package folder is source, with any name."""
    return [
        path
        for path in paths
        if _ARTEFACT.match(path) and f"{path.partition('/')[0]}/__init__.py" not in paths
    ]


def _is_valid_path(path: str) -> bool:
    try:
        return bool(check_path(path))
    except ValueError:
        return False


def requirements_of(repository: Repository, requested: list[str]) -> list[str]:
    """Return the requested packages (or files that list them), else the repository's own requirements."""
    if requested:
        return [requirement for word in requested for requirement in _read_requested(word)]
    for name, reader in (
        ("requirements.txt", _read_list),
        ("pyproject.toml", _from_pyproject),
        ("setup.cfg", _from_setup),
        ("PKG-INFO", _from_package_info),
    ):
        if name in repository.files:
            packages = reader(repository.files[name].decode(errors="replace"))
            if packages:
                return packages
    return []


def pin(requirements: list[str]) -> list[str]:
    """Return the exact versions in an environment with these requirements."""
    if not requirements:
        return []
    environment = build_environment(requirements)
    folders = [str(folder) for folder in environment.glob("lib/python*/site-packages")]
    pins = {
        distribution.metadata["Name"]: distribution.version for distribution in distributions(path=folders)
    }
    return sorted(f"{name}=={version}" for name, version in pins.items())


def _read_requested(word: str) -> list[str]:
    if Path(word).is_file():
        return _read_list(Path(word).read_text())
    if not _REQUIREMENT.match(word):
        raise TaskError("--requirements", f"{word!r} is neither a package nor a file that lists packages")
    return [word]


def _read_list(text: str) -> list[str]:
    lines = (line.split(" #")[0].split(" --")[0].strip() for line in text.splitlines())
    return [line for line in lines if _REQUIREMENT.match(line)]


def _from_pyproject(text: str) -> list[str]:
    try:
        dependencies = read_toml(text).get("project", {}).get("dependencies", [])
    except (ValueError, AttributeError):
        return []
    return [dependency for dependency in dependencies if isinstance(dependency, str)]


def _from_setup(text: str) -> list[str]:
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except configparser.Error:
        return []
    return _read_list(parser.get("options", "install_requires", fallback=""))


def _from_package_info(text: str) -> list[str]:
    dependencies = Parser().parsestr(text, headersonly=True).get_all("Requires-Dist") or []
    return [dependency for dependency in dependencies if "extra ==" not in dependency]
