"""Reads a repository: its files without history, and its requirements."""

from __future__ import annotations

import ast
import configparser
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from email.parser import Parser
from importlib.metadata import Distribution, distributions
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from assay.errors import EnvironmentFailed, TaskError, Unmaskable
from assay.files import read_listed
from assay.rules.documents import read_toml
from assay.tasks.files import check_path
from assay.workspace import build_environment
from assay.workspace.task_environment import user_environment

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
    """Links and files with unusual names, which a task cannot contain; each name in ASCII."""
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
            left_out.append(ascii(relative.as_posix())[1:-1])
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
    """True if a task can have a file with this path: inside its folder, and in UTF-8."""
    try:
        return bool(check_path(path).encode())
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
        ("setup.py", _from_setup_program),
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
    own_environment = user_environment()
    environment = own_environment or build_environment(requirements)
    folders = [str(folder) for folder in environment.glob("lib/python*/site-packages")]
    installed = {
        str(canonicalize_name(distribution.metadata["Name"])): distribution
        for distribution in distributions(path=folders)
    }
    names = set(installed) if own_environment is None else _needed(requirements, installed)
    return sorted(f"{installed[name].metadata['Name']}=={installed[name].version}" for name in names)


def _needed(requirements: Iterable[str], installed: Mapping[str, Distribution]) -> set[str]:
    """Return the packages that these requirements need; an environment for all tasks has others too."""
    pending = [_parsed(text) for text in requirements]
    required_names: set[str] = set()
    while pending:
        requirement = pending.pop()
        if requirement is None or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        name = str(canonicalize_name(requirement.name))
        if name not in installed:
            raise EnvironmentFailed(f"the environment for all tasks has no {requirement.name}")
        if name not in required_names:
            required_names.add(name)
            pending += [_parsed(text) for text in installed[name].requires or ()]
    return required_names


def _parsed(text: str) -> Requirement | None:
    try:
        return Requirement(text)
    except InvalidRequirement:
        return None


def _read_requested(word: str) -> list[str]:
    if Path(word).is_file():
        return _read_list(read_listed(Path(word)))
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


def _from_setup_program(text: str) -> list[str]:
    """Return `install_requires` of setup.py, read and not executed: a literal, or a name with a literal."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    literals: dict[str, object] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            literals |= {
                target.id: _literal(node.value, {}) for target in node.targets if isinstance(target, ast.Name)
            }
    for node in ast.walk(tree):
        for keyword in node.keywords if isinstance(node, ast.Call) else ():
            if keyword.arg == "install_requires":
                return list(_words(_literal(keyword.value, literals)))
            if keyword.arg is None and isinstance(unpacked := _literal(keyword.value, literals), dict):
                return list(_words(unpacked.get("install_requires")))
    return []


def _literal(node: ast.expr, literals: Mapping[str, object]) -> object:
    if isinstance(node, ast.Name):
        return literals.get(node.id)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return None


def _words(value: object) -> Iterator[str]:
    """Yield the requirements of a string or a list."""
    if isinstance(value, str):
        yield from _read_list(value)
    elif isinstance(value, list | tuple):
        yield from (word for word in value if isinstance(word, str))


def _from_package_info(text: str) -> list[str]:
    dependencies = Parser().parsestr(text, headersonly=True).get_all("Requires-Dist") or []
    return [dependency for dependency in dependencies if "extra ==" not in dependency]
