"""The Python code of this machine's programs: where it is, and which folders of it no task needs.

A copy of a masked function can be in any program of the machine. Most of this code is in folders that hardly
have other files: sandboxes of masked tasks do not show them. The rest is small enough to be searched.

What it does not cover: Python code in other files, such as documents and programs that contain their sources.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, field
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

from assay.sandbox.host.kept_listing import LookedAt, kept

MIN_FILES = 200
"""A folder with fewer Python files, compiled ones included, may belong to a tool that agents use."""
_PACKAGE_FOLDERS = ("site-packages", "dist-packages")
_SOURCES = (
    *(".py", ".pyx", ".whl", ".egg", ".zip", ".pyz"),
    *(".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz"),
)
_PYTHON = (".py", ".pyc", ".pyi", ".pyx")
_LIBRARY = {"os.py", "site.py"}
"""Files of every standard library."""
_LIBRARY_DEPTH = 2
"""A Python that runs tasks has its library at `lib/python3.x` below its prefix."""
_SCRIPT_FOLDERS = ("/bin", "/sbin")
_FIRST_LINE_BYTES = 80


@dataclass(frozen=True, order=True, slots=True)
class SourceFile:
    """A file that can contain Python code; its size and time show whether it changed."""

    path: str
    size: int
    modified: int


@dataclass(slots=True)
class PythonCode:
    """The Python code below a folder."""

    hidden: list[str] = field(default_factory=list)
    """Folders of installed packages, and folders that contain a program's Python code and little else."""
    sources: list[SourceFile] = field(default_factory=list)
    """The sources, compiled files without a source, and archives in other folders."""
    python_files: int = 0
    all_files: int = 0
    has_library: bool = False
    """True if a standard library is below the folder."""

    def add(self, part: PythonCode) -> None:
        """Add what a subfolder contains."""
        self.hidden += part.hidden
        self.sources += part.sources
        self.python_files += part.python_files
        self.all_files += part.all_files
        self.has_library |= part.has_library

    @property
    def is_little_else(self) -> bool:
        """True if more than half of all files are Python code."""
        return self.python_files >= MIN_FILES and 2 * self.python_files > self.all_files


@cache
def python_code_below(root: Path) -> PythonCode:
    """Return the Python code below a folder that sandboxes show; a process reads it once."""

    def read(looked_at: LookedAt) -> dict[str, Any]:
        return asdict(_FolderReader(looked_at).read(str(root), depth=0, in_library=False, beside=frozenset()))

    fields = kept(str(root), read)
    return PythonCode(**{**fields, "sources": [SourceFile(**source) for source in fields["sources"]]})


@dataclass(frozen=True)
class _FolderReader:
    looked_at: LookedAt

    def read(self, folder: str, *, depth: int, in_library: bool, beside: Collection[str]) -> PythonCode:
        """Return the Python code below a folder; `beside` are the names in its parent folder."""
        code = PythonCode()
        try:
            self.looked_at.add(folder)
            with os.scandir(folder) as scanned:
                entries = sorted(scanned, key=attrgetter("name"))
        except OSError:
            return code
        names = {entry.name for entry in entries}
        # A library farther down belongs to a program that brings its own Python.
        code.has_library = depth <= _LIBRARY_DEPTH and names >= _LIBRARY
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                code.all_files += 1
                code.python_files += entry.name.endswith(_PYTHON)
            elif entry.name in _PACKAGE_FOLDERS:
                code.hidden.append(entry.path)
            else:
                inner_depth = 0 if (depth, entry.name) == (0, "local") else depth + 1
                in_this = in_library or code.has_library
                code.add(self.read(entry.path, depth=inner_depth, in_library=in_this, beside=names))
        code.sources += self._sources(folder, entries, beside if folder.endswith("/__pycache__") else names)
        # Folders such as /usr/lib and /usr/local/share contain many programs.
        if depth > 1 and not in_library and not code.has_library and code.is_little_else:
            self.looked_at.forget(source.path for source in code.sources)
            code.hidden, code.sources = [folder], []
        return code

    def _sources(
        self, folder: str, entries: Collection[os.DirEntry[str]], sources: Collection[str]
    ) -> Iterator[SourceFile]:
        """Yield the files to search; `sources` are the names where the source of a compiled file would be."""
        may_have_scripts = folder.endswith(_SCRIPT_FOLDERS)
        for entry in entries:
            is_source = (
                entry.name.endswith(_SOURCES)
                or (entry.name.endswith(".pyc") and f"{entry.name.partition('.')[0]}.py" not in sources)
                or (may_have_scripts and "." not in entry.name and self._is_script(entry))
            )
            if is_source and entry.is_file(follow_symlinks=False):
                status = entry.stat(follow_symlinks=False)
                self.looked_at.add(entry.path, status)
                yield SourceFile(entry.path, status.st_size, status.st_mtime_ns)

    def _is_script(self, entry: os.DirEntry[str]) -> bool:
        if not entry.is_file(follow_symlinks=False):
            return False
        try:
            self.looked_at.add(entry.path)
            with Path(entry.path).open("rb") as file:
                first_line = file.read(_FIRST_LINE_BYTES).partition(b"\n")[0]
        except OSError:
            return False
        return first_line.startswith(b"#!") and b"python" in first_line
