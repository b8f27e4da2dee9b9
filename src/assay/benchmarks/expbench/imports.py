"""Finds the folders of a script's own modules, for scripts that expect other folders on Python's path."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping


def search_folders(scripts: Mapping[str, bytes], tree: Iterable[str]) -> list[str]:
    """Return the folders of a repository that Python must search for what its scripts import.

    A module counts only if it is neither at the root nor next to the script, and if exactly one folder has
    it: with several folders the choice would be a guess.
    """
    modules = [path for path in tree if path.endswith(".py")]
    module_paths = set(modules)
    folders: dict[str, None] = {}
    for path, source in scripts.items():
        script_folder = path.rpartition("/")[0]
        for name in _imported(source):
            forms = [f"{name.replace('.', '/')}.py", f"{name.replace('.', '/')}/__init__.py"]
            if any(_join(folder, form) in module_paths for folder in ("", script_folder) for form in forms):
                continue
            candidates = {
                module.removesuffix(f"/{form}")
                for form in forms
                for module in modules
                if module.endswith(f"/{form}")
            }
            if len(candidates) == 1:
                folders.update(dict.fromkeys(candidates))
    return list(folders)


def _imported(source: bytes) -> Iterator[str]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
        yield from (name for name in names if name.partition(".")[0] not in sys.stdlib_module_names)


def _join(folder: str, path: str) -> str:
    return f"{folder}/{path}" if folder else path
