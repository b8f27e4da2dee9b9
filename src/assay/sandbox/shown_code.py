"""Which Python code of this machine the sandboxes of a task show, apart from its environment."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assay.sandbox.bubblewrap.layout import system_mounts
from assay.sandbox.host.python_code import SourceFile, python_code_below
from assay.sandbox.host.scratch import scratch_folder
from assay.sandbox.host.system import PROCESSORS, base_python_of

_OPTIONAL_PARTS = ("ensurepip", "idlelib", "test", "turtledemo")
"""Parts of a standard library without which Python and its programs work; `venv` then makes no pip."""


@dataclass(frozen=True)
class ShownCode:
    """The Python code that sandboxes show with one environment."""

    hidden: tuple[Path, ...]
    """Folders of packages and of programs that no task needs; sandboxes of masked tasks do not show them."""
    sources: tuple[SourceFile, ...]
    """Every other file that can contain Python code."""
    libraries: tuple[Path, ...]
    """The standard libraries that the sandbox's own Pythons need."""

    def is_needed(self, path: Path) -> bool:
        """True if a sandbox does not work without this file."""
        return any(
            path.is_relative_to(library) and path.relative_to(library).parts[0] not in _OPTIONAL_PARTS
            for library in self.libraries
        )


@cache
def shown_code(environment: Path | None) -> ShownCode:
    """Return the Python code that sandboxes with this environment show; a process looks once."""
    scratch = scratch_folder()
    sources = {Path(source) for source, _ in system_mounts(environment)} - {PROCESSORS}
    folders = {path for path in sources if path.is_dir() and not path.is_relative_to(scratch)}
    roots = [path for path in folders if not any(parent in folders for parent in path.parents)]
    parts = [python_code_below(root) for root in sorted(roots)]
    prefixes = {Path(sys.base_prefix), *base_python_of(environment).prefixes}
    libraries = {file.resolve().parent for prefix in prefixes for file in prefix.glob("lib*/python3*/os.py")}
    return ShownCode(
        tuple(Path(folder) for part in parts for folder in part.hidden),
        tuple(source for part in parts for source in part.sources),
        tuple(sorted(libraries)),
    )
