"""Calls uv, which resolves, installs and finds interpreters: on this machine, or in a sandbox.

On this machine uv never runs the code of a package: it installs only wheels. Builds from source run in a
sandbox that reaches only the package index. Neither gets the user's other variables.

What the sandbox does not cover: a build can fill the disk of the environment, and it can read the settings
of the index, including a password in its address.
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
from assay.sandbox import Box, Confinement, Mount, Outcome, SandboxLimits
from assay.sandbox.bubblewrap.layout import program_mounts
from assay.workspace.index import PackageIndex

_QUIET = {"UV_NO_PROGRESS": "1", "NO_COLOR": "1"}
_BUILD_SECONDS = 3600.0
_BUILD_MEMORY_MB = 8192
_INSIDE = "/mnt"
_SETTINGS = f"{_INSIDE}/uv.toml"
_CERTIFICATES = f"{_INSIDE}/certificates.pem"


def run_uv(arguments: Sequence[str], folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run uv on this machine with only the variables that it needs; never let it build a package."""
    from uv import find_uv_bin

    variables = {
        **PackageIndex.from_environment().on_host,
        **_QUIET,
        "PATH": _path(os.environ.get("PATH", os.defpath)),
    }
    return subprocess.run(
        [find_uv_bin(), *arguments],
        capture_output=True,
        text=True,
        errors="replace",
        env=variables,
        cwd=folder,
    )


def run_uv_inside(
    arguments: Sequence[str], environment: Path, names: Sequence[str], read_only: Sequence[Path] = ()
) -> subprocess.CompletedProcess[str]:
    """Run uv in a sandbox that can write the environment and reach the index; it may build packages.

    `names` are distributions whose pages list the hosts of files; `read_only` are more folders to mount.
    """
    with tempfile.TemporaryDirectory(prefix="build-", dir=cache_folder("builds")) as folder_path:
        scratch = Path(folder_path)
        (scratch / "tmp").mkdir()
        try:
            confinement = _confinement(environment, scratch, names, read_only)
            outcome = run_in_own_loop(_inside(confinement, arguments))
        except SandboxError as problem:
            return subprocess.CompletedProcess(
                list(arguments), 1, "", f"no sandbox to build in: {problem.message}"
            )
    stderr = outcome.stderr.decode(errors="replace")
    if outcome.exceeded:
        stderr += f"\nthe build exceeded its {outcome.exceeded} limit"
    return subprocess.CompletedProcess(
        list(arguments),
        outcome.returncode or int(bool(outcome.exceeded)),
        outcome.stdout.decode(errors="replace"),
        stderr,
    )


async def _inside(confinement: Confinement, arguments: Sequence[str]) -> Outcome:
    async with Box(confinement) as box:
        return await box.exec([f"{_INSIDE}/uv", *arguments], cwd="/tmp")


def _confinement(
    environment: Path, scratch: Path, names: Sequence[str], read_only: Sequence[Path]
) -> Confinement:
    from uv import find_uv_bin

    index = PackageIndex.from_environment()
    mounts = [
        Mount(Path(find_uv_bin()), f"{_INSIDE}/uv"),
        # As programs, not as the sandbox's environment: the resident process must not use its old Python.
        *(Mount(source, target) for source, target in program_mounts([environment])),
        Mount(environment, str(environment), writable=True),
        Mount(scratch, f"{_INSIDE}/scratch", writable=True),
        *(Mount(folder, str(folder)) for folder in (*index.folders, *read_only)),
    ]
    variables = {
        **index.inside,
        **_QUIET,
        "UV_CACHE_DIR": f"{_INSIDE}/scratch/cache",
        "TMPDIR": f"{_INSIDE}/scratch/tmp",
        "UV_PYTHON_DOWNLOADS": "never",
        # Fewer than the proxy accepts at once; uv's default is more, and a refused download ends the build.
        "UV_CONCURRENT_DOWNLOADS": "16",
        # Only the proxy reaches the network, also for an index on this machine.
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
    limits = SandboxLimits(
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


class InstalledPython(NamedTuple):
    """A Python on this machine."""

    version: str
    program: Path


@cache
def installed_pythons() -> dict[str, InstalledPython]:
    """Map each minor version to its newest installed Python, oldest version first: 3.10 -> 3.10.13."""
    listing = run_uv(["python", "list", "--only-installed", "--no-config", "--output-format", "json"]).stdout
    programs: dict[tuple[int, int, int], Path] = {}
    for entry in json.loads(listing or "[]"):
        is_plain_cpython = (
            entry["implementation"] == "cpython" and entry.get("variant", "default") == "default"
        )
        if is_plain_cpython and entry["path"] and "/shims/" not in entry["path"]:
            parts = entry["version_parts"]
            programs.setdefault((parts["major"], parts["minor"], parts["patch"]), Path(entry["path"]))
    usable = sorted(version for version in programs if version >= (3, 8))
    return {
        f"{major}.{minor}": InstalledPython(f"{major}.{minor}.{patch}", programs[major, minor, patch])
        for major, minor, patch in usable
    }


def _path(path: str) -> str:
    """Return the search path with every Python of pyenv, because pyenv's shims hide most of them from uv."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    try:
        folders = sorted(root.glob("versions/*/bin"))
    except OSError:
        # Another user's pyenv, which this user cannot read.
        folders = []
    return os.pathsep.join([path, *map(str, folders)])
