"""Where the hook is placed: in every Python that a sandbox shows, beneath all of its options."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.grading.execution_trace.notebook_cells import digests_of
from assay.sandbox import Mount
from assay.sandbox.host.system import base_python_of

_HOOK = Path(__file__).with_name("hook.py")
_OLDEST = (3, 8)
"""The first Python with audit hooks, by which the hook knows when a program begins."""


@dataclass(frozen=True)
class Placed:
    """What a followed run needs beside its workspace."""

    folder: str
    """Where processes write their traces, below the workspace."""
    mounts: tuple[Mount, ...]
    key: str
    """Seals the lines of the traces."""
    blind: bool
    """Whether the environment's own Python is too old to be followed."""


def place_hook(
    environment: Path, workspace: Path, scratch: Path, submitted: Mapping[str, bytes] | None = None
) -> Placed:
    """Write the hooks for one run into `scratch` and the folder for their traces into the workspace.

    The folder is inside `.git`, where programs that walk the workspace do not look. The hooks look for the
    lines of the notebooks among the `submitted` files.
    """
    folder = f".git/{secrets.token_hex(8)}"
    (workspace / folder).mkdir(parents=True)
    (workspace / folder / "begun").touch()
    key = secrets.token_hex(16)
    hook = _HOOK.read_text().replace("@FOLDER@", f"/workspace/{folder}").replace("@KEY@", key)
    hook = hook.replace("@CELLS@", " ".join(digests_of(submitted or {})))
    mounts: list[Mount] = []
    blind = False
    prefixes = base_python_of(environment).prefixes
    scratch.mkdir(exist_ok=True)
    for number, (version, library) in enumerate(_libraries(environment)):
        if version < _OLDEST:
            blind = blind or any(library.is_relative_to(prefix) for prefix in prefixes)
            continue
        target = library / "encodings" / "__init__.py"
        source = scratch / f"{number}.py"
        addition = f'\nexec(compile({hook!r}, "<followed>", "exec"), {{}})\n'
        source.write_text(target.read_text(encoding="utf-8") + addition, encoding="utf-8")
        mounts.append(Mount(source, str(target)))
    return Placed(folder, tuple(mounts), key, blind or not mounts)


def _libraries(environment: Path) -> Iterator[tuple[tuple[int, int], Path]]:
    """The version and the standard library of each Python that is shown."""
    prefixes = {*base_python_of(environment).prefixes, Path("/usr"), Path("/usr/local")}
    for prefix in sorted(prefixes):
        for library in sorted(prefix.glob("lib/python3.*")):
            match = re.fullmatch(r"python3\.(\d+)", library.name)
            if match and (library / "encodings" / "__init__.py").is_file():
                yield (3, int(match[1])), library
