"""Where a script's own modules lie, for scripts that were run with other folders on Python's path."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping


def search_folders(scripts: Mapping[str, bytes], tree: Iterable[str]) -> list[str]:
    """Folders of a repository that must be searched for what its scripts import.

    Only what lies neither at the root nor beside the script, and in one folder alone: several would be a
    guess.
    """
    modules = [path for path in tree if path.endswith(".py")]
    known = set(modules)
    folders: dict[str, None] = {}
    for path, source in scripts.items():
        beside = path.rpartition("/")[0]
        for name in _imported(source):
            forms = [f"{name.replace('.', '/')}.py", f"{name.replace('.', '/')}/__init__.py"]
            if any(_join(folder, form) in known for folder in ("", beside) for form in forms):
                continue
            found = {
                module.removesuffix(f"/{form}")
                for form in forms
                for module in modules
                if module.endswith(f"/{form}")
            }
            if len(found) == 1:
                folders.update(dict.fromkeys(found))
    return list(folders)


def _imported(source: bytes) -> Iterator[str]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
        yield from (name for name in names if name.partition(".")[0] not in sys.stdlib_module_names)


def _join(folder: str, path: str) -> str:
    return f"{folder}/{path}" if folder else path
