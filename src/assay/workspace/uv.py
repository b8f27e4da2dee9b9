"""Calls uv, which resolves, installs and finds interpreters: on this machine, or in a sandbox.

On this machine uv never runs the code of a package: it takes wheels alone. What must be built from source is
built in a sandbox that reaches the package index and nothing else. Neither gets the operator's variables.

What the sandbox does not cover: a build can fill the disk that the environment lies on, and it can read the
settings of the index, a password in its address among them.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from assay.cache import cache_folder
from assay.errors import SandboxError
from assay.own_loop import run_in_own_loop
from assay.sandbox import Box, Confinement, Limits, Mount, Outcome
from assay.sandbox.bubblewrap.layout import program_mounts
from assay.workspace.index import Index

_QUIET = {"UV_NO_PROGRESS": "1", "NO_COLOR": "1"}
_BUILD_SECONDS = 3600.0
_BUILD_MEMORY_MB = 8192
_INSIDE = "/mnt"
_SETTINGS = f"{_INSIDE}/uv.toml"
_CERTIFICATES = f"{_INSIDE}/certificates.pem"


def run_uv(arguments: Sequence[str], folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run uv on this machine with the variables that it needs; it must not be asked to build anything."""
    from uv import find_uv_bin

    variables = {**Index.here().on_host, **_QUIET, "PATH": _path(os.environ.get("PATH", os.defpath))}
    return subprocess.run(
        [find_uv_bin(), *arguments],
        capture_output=True,
        text=True,
        errors="replace",
        env=variables,
        cwd=folder,
    )


def run_uv_inside(
    arguments: Sequence[str], environment: Path, names: Sequence[str], shown: Sequence[Path] = ()
) -> subprocess.CompletedProcess[str]:
    """Run uv in a sandbox that may write the environment and reach the index; packages may be built there.

    `names` are distributions whose pages say on which hosts files lie; `shown` are further folders to read.
    """
    with tempfile.TemporaryDirectory(prefix="build-", dir=cache_folder("builds")) as place:
        scratch = Path(place)
        (scratch / "tmp").mkdir()
        try:
            confinement = _confinement(environment, scratch, names, shown)
            done = run_in_own_loop(_inside(confinement, arguments))
        except SandboxError as problem:
            return subprocess.CompletedProcess(
                list(arguments), 1, "", f"no sandbox to build in: {problem.message}"
            )
    said = done.stderr.decode(errors="replace")
    if done.exceeded:
        said += f"\nthe build exceeded its {done.exceeded} limit"
    return subprocess.CompletedProcess(
        list(arguments),
        done.returncode or int(bool(done.exceeded)),
        done.stdout.decode(errors="replace"),
        said,
    )


async def _inside(confinement: Confinement, arguments: Sequence[str]) -> Outcome:
    async with Box(confinement) as box:
        return await box.exec([f"{_INSIDE}/uv", *arguments], cwd="/tmp")


def _confinement(
    environment: Path, scratch: Path, names: Sequence[str], shown: Sequence[Path]
) -> Confinement:
    from uv import find_uv_bin

    index = Index.here()
    mounts = [
        Mount(Path(find_uv_bin()), f"{_INSIDE}/uv"),
        # As programs, not as the sandbox's own environment: what serves the sandbox needs no such old Python.
        *(Mount(source, target) for source, target in program_mounts([environment])),
        Mount(environment, str(environment), writable=True),
        Mount(scratch, f"{_INSIDE}/scratch", writable=True),
        *(Mount(each, str(each)) for each in (*index.folders, *shown)),
    ]
    variables = {
        **index.inside,
        **_QUIET,
        "UV_CACHE_DIR": f"{_INSIDE}/scratch/cache",
        "TMPDIR": f"{_INSIDE}/scratch/tmp",
        "UV_PYTHON_DOWNLOADS": "never",
        # The proxy alone leads out, also to an index on this machine.
        **dict.fromkeys(("NO_PROXY", "no_proxy"), ""),
    }
    if index.config is not None and index.config.is_file():
        mounts.append(Mount(index.config, _SETTINGS))
        variables["UV_CONFIG_FILE"] = _SETTINGS
    certificates = Path(variables.pop("SSL_CERT_FILE", ""))
    variables.pop("SSL_CERT_DIR", None)
    if certificates.is_file():
        mounts.append(Mount(certificates, _CERTIFICATES))
        variables["SSL_CERT_FILE"] = _CERTIFICATES
    limits = Limits(
        memory_mb=_BUILD_MEMORY_MB,
        processes=1024,
        file_size_mb=8192,
        wall_seconds=_BUILD_SECONDS,
        output_bytes=4_000_000,
    )
    return Confinement(
        mounts=tuple(mounts),
        variables=variables,
        limits=limits,
        hosts=tuple(index.hosts(names)),
    )


class Interpreter(NamedTuple):
    """A Python on this machine."""

    version: str
    program: Path


@cache
def interpreters() -> dict[str, Interpreter]:
    """The newest interpreter of each minor version here, the oldest first: 3.10 -> 3.10.13, its program."""
    said = run_uv(["python", "list", "--only-installed", "--no-config", "--output-format", "json"]).stdout
    found: dict[tuple[int, int, int], Path] = {}
    for each in json.loads(said or "[]"):
        plain = each["implementation"] == "cpython" and each.get("variant", "default") == "default"
        if plain and each["path"] and "/shims/" not in each["path"]:
            parts = each["version_parts"]
            found.setdefault((parts["major"], parts["minor"], parts["patch"]), Path(each["path"]))
    usable = sorted(version for version in found if version >= (3, 8))
    return {
        f"{major}.{minor}": Interpreter(f"{major}.{minor}.{patch}", found[major, minor, patch])
        for major, minor, patch in usable
    }


def _path(path: str) -> str:
    """The search path with every Python of pyenv on it: its shims hide all but the chosen ones from uv."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    try:
        folders = sorted(root.glob("versions/*/bin"))
    except OSError:
        # Another user's pyenv, which this one may not read: its Pythons are not ours to use.
        folders = []
    return os.pathsep.join([path, *map(str, folders)])
