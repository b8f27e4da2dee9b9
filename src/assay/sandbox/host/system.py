"""Which parts of the host's system a sandbox shows, and which it hides."""

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
_COPIED_FILES = (
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
_GENERATED_FILES = {
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
class BasePython:
    """A base Python: its program and the prefixes that it needs to run."""

    program: Path
    prefixes: tuple[Path, ...]


def kernel_settings() -> list[str]:
    """List the entries of /proc that concern the whole machine and that a user or root can write.

    If Assay runs as root, the user inside is root under another number, and the kernel lets root
    change these entries.
    """
    with os.scandir("/proc") as entries:
        settings = [entry for entry in entries if not entry.name.isdigit() and not entry.is_symlink()]
    return sorted(entry.path for entry in settings if entry.is_dir() or entry.stat().st_mode & 0o222)


@dataclass(frozen=True, slots=True)
class SystemView:
    """Read-only parts of the host: (source, target) binds, links, and hidden folders."""

    binds: tuple[tuple[str, str], ...]
    links: tuple[tuple[str, str], ...]
    hidden: tuple[str, ...]
    empty: str
    empty_file: str


PROCESSORS = Path("/sys/devices/system/cpu")
"""Lists the processors, as /proc does too: torch on ARM needs it to compute in half precision."""


_view_lock = threading.Lock()


def system_view(folder: Path | None = None) -> SystemView:
    """Return the system's programs and libraries, with every installed Python package hidden."""
    with _view_lock:  # sandboxes start in threads, and two threads must not write the same files at once
        return _system_view(folder or scratch_folder())


@cache
def _system_view(folder: Path) -> SystemView:
    empty = folder / "empty"
    empty.mkdir(exist_ok=True)
    empty_file = folder / "empty-file"
    empty_file.touch()
    binds = [("/usr", "/usr"), (str(_write_etc(folder / "etc")), "/etc")]
    links = []
    for name in _TOP_FOLDERS:
        path = Path("/", name)
        if path.is_symlink():
            links.append((str(path.readlink()), str(path)))
        elif path.is_dir():
            binds.append((str(path), str(path)))
    if PROCESSORS.is_dir():
        binds.append((str(PROCESSORS), str(PROCESSORS)))
    hidden = [*package_folders(Path("/usr")), *package_folders(Path("/usr/local"))]
    hidden += [
        own_folder
        for own_folder in own_folders()
        if own_folder.is_relative_to("/usr") and own_folder != Path("/usr")
    ]
    return SystemView(tuple(binds), tuple(links), tuple(map(str, hidden)), str(empty), str(empty_file))


def package_folders(prefix: Path) -> list[Path]:
    """Return the non-empty folders of installed packages of a Python below this prefix."""
    patterns = [f"{lib}/python3*/{kind}-packages" for lib in ("lib", "lib64") for kind in ("site", "dist")]
    folders = {path.resolve() for pattern in patterns for path in prefix.glob(pattern) if path.is_dir()}
    return sorted(path for path in folders if any(path.iterdir()))


@cache
def own_folders() -> tuple[Path, ...]:
    """Return Assay's source folders and its environment, which no sandbox may show."""
    package = Path(__file__).resolve().parents[2]
    project = package.parents[1]
    folders = {package, project} if (project / "pyproject.toml").is_file() else {package}
    if sys.prefix != sys.base_prefix:
        folders.add(Path(sys.prefix).resolve())
    return tuple(sorted(folders))


def refuse_own_folders(source: Path) -> None:
    """Raise if a folder contains Assay itself."""
    resolved = os.path.realpath(source).rstrip("/") + "/"
    for own_folder in own_folders():
        if f"{own_folder}/".startswith(resolved):
            raise SandboxError(
                f"{source} contains Assay's own files ({own_folder}), which a sandbox must never show",
                hint="mount a smaller folder",
            )


@cache
def base_python_of(environment: Path | None) -> BasePython:
    """Return the base Python of a virtual environment, or of Assay itself."""
    if environment is None:
        home = Path(sys.base_prefix) / "bin"
    else:
        home = _python_home(environment)
    names = ("python3", "python", f"python3.{sys.version_info.minor}")
    program = next((home / name for name in names if (home / name).exists()), None)
    if program is None:
        raise SandboxError(
            f"{home} contains no python3, which the environment {environment or sys.base_prefix} needs",
            hint="create the environment again",
        )
    prefixes = {home.parent, program.resolve().parent.parent}
    return BasePython(program.resolve(), tuple(sorted(prefixes)))


def _python_home(environment: Path) -> Path:
    settings = environment / "pyvenv.cfg"
    if not settings.is_file():
        raise UsageError(
            f"{environment} is not a virtual environment: it has no pyvenv.cfg",
            hint=f"create one: python3 -m venv {environment}",
        )
    for folder in package_folders(environment):
        for name in _OWN_PACKAGES:
            if (folder / name).exists():
                raise SandboxError(
                    f"the environment {environment} contains {name}, which a sandbox must never show",
                    hint="give the task its own environment",
                )
    for line in settings.read_text().splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "home":
            return Path(value.strip())
    raise UsageError(f"{settings} has no `home` line, so the base Python is unknown")


def _write_etc(folder: Path) -> Path:
    """Write the few files of /etc that programs need, without this machine's users and names."""
    folder.mkdir(exist_ok=True)
    for name in (*_COPIED_FILES, *_COPIED_CERTIFICATES):
        source, target = Path("/etc", name), folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
        elif source.is_file():
            shutil.copyfile(source, target)
    if not (folder / "os-release").exists():
        (folder / "os-release").write_text('ID=linux\nNAME="Linux"\n')
    for name, text in _GENERATED_FILES.items():
        (folder / name).write_text(text)
    return folder
