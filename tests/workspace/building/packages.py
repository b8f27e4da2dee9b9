"""Small distributions made on the fly, so that no test needs a package index."""

from __future__ import annotations

import base64
import io
import subprocess
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

_BACKEND = """
import base64, os
def get_requires_for_build_wheel(config_settings=None):
    return []
def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    {broken}
    with open(os.path.join(wheel_directory, {name!r}), "wb") as handle:
        handle.write(base64.b64decode({wheel!r}))
    return {name!r}
"""


def make_wheel(
    folder: Path,
    name: str,
    version: str,
    source: str = "",
    *,
    requires: Sequence[str] = (),
    tag: str = "py3-none-any",
    python: str = "",
) -> Path:
    """A wheel with one module of the distribution's name."""
    folder.mkdir(exist_ok=True, parents=True)
    stem = f"{name.replace('-', '_')}-{version}"
    file = folder / f"{stem}-{tag}.whl"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    lines += [f"Requires-Dist: {each}" for each in requires]
    lines += [f"Requires-Python: {python}"] if python else []
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"{name.replace('-', '_')}.py", source or f"__version__ = {version!r}\n")
        archive.writestr(f"{stem}.dist-info/METADATA", "\n".join(lines) + "\n")
        wheel = f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tag}\n"
        archive.writestr(f"{stem}.dist-info/WHEEL", wheel)
        archive.writestr(f"{stem}.dist-info/RECORD", "")
    return file


def make_sdist(folder: Path, name: str, version: str, *, says: str = "") -> None:
    """A source distribution that builds without any other, or breaks and says something."""
    wheel = make_wheel(folder / "inside", name, version)
    broken = f"raise SystemExit({says!r})" if says else "pass"
    backend = _BACKEND.format(
        broken=broken, name=wheel.name, wheel=base64.b64encode(wheel.read_bytes()).decode()
    )
    settings = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    stem = f"{name}-{version}"
    information = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    with tarfile.open(folder / f"{stem}.tar.gz", "w:gz") as archive:
        for path, text in (
            ("PKG-INFO", information),
            ("pyproject.toml", settings),
            ("backend.py", backend),
        ):
            member = tarfile.TarInfo(f"{stem}/{path}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """A folder with these files."""
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return folder


def commit(folder: Path, day: str) -> str:
    """Everything in the folder as a commit of that day; its hash."""
    moment = f"{day}T12:00:00Z"
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a"}
    settings = {"GIT_COMMITTER_EMAIL": "a@b", "GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment, **who}
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "x"]):
        subprocess.run(["git", *words], cwd=folder, check=True, env={"PATH": "/usr/bin:/bin", **settings})
    told = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=folder, check=True, capture_output=True, text=True
    )
    return told.stdout.strip()
