"""The standard library and five installed packages: real code to mask."""

from __future__ import annotations

import importlib.util
import sysconfig
from collections.abc import Iterator
from pathlib import Path

PACKAGES = ["inspect_ai", "numpy", "pydantic", "scipy", "statsmodels"]


def roots() -> dict[str, Path]:
    """Where each body of code lies."""
    found = {"stdlib": Path(sysconfig.get_path("stdlib"))}
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        found[package] = Path(spec.origin).parent
    return found


def files(root: Path) -> Iterator[Path]:
    """Every Python file under a root, packages installed inside the standard library left out."""
    for path in sorted(root.rglob("*.py")):
        if "site-packages" not in path.relative_to(root).parts:
            yield path
