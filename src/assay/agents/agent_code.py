"""Which program an agent without a model runs: a proof with it holds for that program alone."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
from functools import cache
from pathlib import Path

PACKAGE = "assay.agents"
_CALIBRATORS = ("oracle", "idle")
_FOLDERS = {"honest": "honest", "cheat": "cheats"}


def agent_code(name: str) -> str:
    """Digest of the program of an agent without a model and of what it imports; empty for other agents."""
    if name in _CALIBRATORS:
        return _digest(f"{PACKAGE}.calibrators")
    role, _, rest = name.partition("-")
    folder, module = _FOLDERS.get(role), rest.replace("-", "_")
    return _digest(f"{PACKAGE}.{folder}.{module}") if folder and module.isidentifier() else ""


@cache
def _digest(module: str) -> str:
    sources = _sources(module, {})
    hasher = hashlib.sha256()
    for name, source in sorted(sources.items()):
        hasher.update(f"\0{name}\0{len(source)}\0".encode() + source)
    return hasher.hexdigest()[:16] if sources else ""


def _sources(module: str, known: dict[str, bytes]) -> dict[str, bytes]:
    """The source of a module, and of those of this package that it imports."""
    spec = importlib.util.find_spec(module) if module not in known else None
    if spec is None or spec.origin is None:
        return known
    known[module] = Path(spec.origin).read_bytes()
    for node in ast.walk(ast.parse(known[module])):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{PACKAGE}."):
            _sources(node.module or "", known)
    return known
