"""Packages that add benchmarks, put on the path as an installer would put them."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "benchmark-package"


def install(name: str, entries: Mapping[str, str], site: Path) -> None:
    """Write the metadata by which Python finds a package's entry points."""
    folder = site / f"{name.replace('-', '_')}-0.1.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.0\n")
    lines = [f"{entry} = {target}" for entry, target in entries.items()]
    (folder / "entry_points.txt").write_text("\n".join(["[assay.benchmarks]", *lines]) + "\n")


def install_example(site: Path) -> None:
    """Install examples/benchmark-package exactly as it is."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    for package in EXAMPLE.glob("*/__init__.py"):
        shutil.copytree(package.parent, site / package.parent.name)
    install(project["name"], project["entry-points"]["assay.benchmarks"], site)
