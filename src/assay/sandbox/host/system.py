"""What of the host's system a sandbox may see, and what of it must stay hidden."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assay.errors import SandboxError, UsageError
from assay.sandbox.host.scratch import scratch_folder

HOME = "/home/agent"
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
_TOP_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_COPIED = (
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "alternatives",
    "os-release",
    "localtime",
    "mime.types",
)
_COPIED_CERTIFICATES = (
    "ssl/openssl.cnf",
    "ssl/certs/ca-certificates.crt",
    "ssl/cert.pem",
    "pki/tls/certs/ca-bundle.crt",
)
_OWN_PACKAGES = ("assay", "inspect_ai")
_WRITTEN = {
    "passwd": f"root:x:0:0:root:/:/bin/sh\nagent:x:1000:1000:agent:{HOME}:/bin/sh\n"
    "nobody:x:65534:65534:nobody:/:/bin/false\n",
    "group": "root:x:0:\nagent:x:1000:\nnogroup:x:65534:\n",
    "hosts": "127.0.0.1 localhost box\n::1 localhost box\n",
    "hostname": "box\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
    "resolv.conf": "",
    "shells": "/bin/sh\n/bin/bash\n",
    "gitconfig": "[user]\n\tname = agent\n\temail = agent@box\n",
}


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A base Python: its program and the prefixes that must be shown for it to run."""

    program: Path
    prefixes: tuple[Path, ...]


def kernel_settings() -> list[str]:
    """What of /proc concerns the whole machine and could be written by anybody, root included.

    Where Assay runs as root, the user inside is root's own identity under another number, and the
    kernel asks for nothing more than that before it changes these.
    """
    entries = [path for path in Path("/proc").iterdir() if not path.name.isdigit() and not path.is_symlink()]
    return sorted(str(path) for path in entries if path.is_dir() or path.stat().st_mode & 0o222)


@dataclass(frozen=True, slots=True)
class SystemView:
    """Read-only parts of the host: (source, target) binds, links, and folders that are covered."""

    binds: tuple[tuple[str, str], ...]
    links: tuple[tuple[str, str], ...]
    covered: tuple[str, ...]
    empty: str


PROCESSORS = Path("/sys/devices/system/cpu")
"""Which processors there are, as /proc tells too: torch on ARM computes no half precision without it."""


_making_view = threading.Lock()


def system_view(folder: Path | None = None) -> SystemView:
    """The system's programs and libraries, with every installed Python package covered."""
    with _making_view:  # sandboxes start in threads, and two of them must not write its files at once
        return _system_view(folder or scratch_folder())


@cache
def _system_view(folder: Path) -> SystemView:
    empty = folder / "empty"
    empty.mkdir(exist_ok=True)
    binds = [("/usr", "/usr"), (str(_settings(folder / "etc")), "/etc")]
    links = []
    for name in _TOP_FOLDERS:
        path = Path("/", name)
        if path.is_symlink():
            links.append((str(path.readlink()), str(path)))
        elif path.is_dir():
            binds.append((str(path), str(path)))
    if PROCESSORS.is_dir():
        binds.append((str(PROCESSORS), str(PROCESSORS)))
    covered = [*package_folders(Path("/usr")), *package_folders(Path("/usr/local"))]
    covered += [own for own in own_folders() if own.is_relative_to("/usr") and own != Path("/usr")]
    return SystemView(tuple(binds), tuple(links), tuple(map(str, covered)), str(empty))


def package_folders(prefix: Path) -> list[Path]:
    """Where a Python below this prefix keeps installed packages, where it has any."""
    patterns = [f"{lib}/python3*/{kind}-packages" for lib in ("lib", "lib64") for kind in ("site", "dist")]
    found = {path.resolve() for pattern in patterns for path in prefix.glob(pattern) if path.is_dir()}
    return sorted(path for path in found if any(path.iterdir()))


@cache
def own_folders() -> tuple[Path, ...]:
    """Assay's source and the environment it runs in: never to be seen from inside."""
    package = Path(__file__).resolve().parents[2]
    project = package.parents[1]
    folders = {package, project} if (project / "pyproject.toml").is_file() else {package}
    if sys.prefix != sys.base_prefix:
        folders.add(Path(sys.prefix).resolve())
    return tuple(sorted(folders))


def refuse_own(source: Path) -> None:
    """Refuse to show a folder that holds Assay itself."""
    resolved = os.path.realpath(source).rstrip("/") + "/"
    for own in own_folders():
        if f"{own}/".startswith(resolved):
            raise SandboxError(
                f"{source} holds Assay's own files ({own}), which a sandbox must never show",
                hint="name a narrower folder",
            )


@cache
def interpreter_of(environment: Path | None) -> Interpreter:
    """The base Python of a virtual environment, or the one that Assay itself stands on."""
    if environment is None:
        home = Path(sys.base_prefix) / "bin"
    else:
        home = _home(environment)
    names = ("python3", "python", f"python3.{sys.version_info.minor}")
    program = next((home / name for name in names if (home / name).exists()), None)
    if program is None:
        raise SandboxError(
            f"{home} holds no python3, which the environment {environment or sys.base_prefix} stands on",
            hint="make the environment again",
        )
    prefixes = {home.parent, program.resolve().parent.parent}
    return Interpreter(program.resolve(), tuple(sorted(prefixes)))


def _home(environment: Path) -> Path:
    settings = environment / "pyvenv.cfg"
    if not settings.is_file():
        raise UsageError(
            f"{environment} is not a virtual environment: it has no pyvenv.cfg",
            hint=f"make one: python3 -m venv {environment}",
        )
    for folder in package_folders(environment):
        for name in _OWN_PACKAGES:
            if (folder / name).exists():
                raise SandboxError(
                    f"the environment {environment} holds {name}, which a sandbox must never show",
                    hint="give the task an environment of its own",
                )
    for line in settings.read_text().splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "home":
            return Path(value.strip())
    raise UsageError(f"{settings} names no home, so its base Python is unknown")


def _settings(folder: Path) -> Path:
    """Write the few files of /etc that programs need; nothing of this machine's users or names."""
    folder.mkdir(exist_ok=True)
    for name in (*_COPIED, *_COPIED_CERTIFICATES):
        source, target = Path("/etc", name), folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
        elif source.is_file():
            shutil.copyfile(source, target)
    if not (folder / "os-release").exists():
        (folder / "os-release").write_text('ID=linux\nNAME="Linux"\n')
    for name, text in _WRITTEN.items():
        (folder / name).write_text(text)
    return folder
