"""What Python would import at a run's own search path, decided as Python itself decides it: by file names.

The first entry of that path is the folder of the program, so a file there comes before the environment's
packages and most of the standard library. A package comes before an extension module, that before a source
and a source before bytecode, and only suffixes that this Python loads count.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath

_IMPORT = re.compile(
    rb"^[ \t]{0,100}(?:from[ \t]{1,20}(\w{1,100})[\w.]{0,200}[ \t]{1,20}import\b"
    rb"|import[ \t]{1,20}([\w., \t]{1,500}))",
    re.MULTILINE,
)
_TAGGED = re.compile(r"\.(?:cpython-(\d)(\d+)[\w-]*|abi3)\.so$|\.so$")
_SEARCHED = re.compile(r"(?:^|[\s\"'])(?:\./)?([\w./-]+)\.py\b|PYTHONPATH=[\"']?([\w./:$-]+)")
_ENTERED = re.compile(r"(?:^|[\s\"';&(])cd\s+[\"']?([\w./-]+)")
"""Folders that a command enters before it starts a program."""
_METADATA_BYTES = 1_000_000


def search_folders(commands: Iterable[str]) -> set[str]:
    """The folders of the workspace that a run's programs search first; the workspace itself always."""
    folders = {""}
    for command in commands:
        entered = ["", *map(_inside, _ENTERED.findall(command))]
        for program, path in _SEARCHED.findall(command):
            parts = [str(PurePosixPath(program).parent)] if program else path.split(":")
            folders |= {"/".join(filter(None, (start, _inside(part)))) for start in entered for part in parts}
    return folders


def _inside(folder: str) -> str:
    plain = folder.removeprefix("/workspace").strip("/")
    return "" if plain in (".", "$PWD") else plain.removeprefix("./")


def modules_in(paths: Iterable[str], folder: str, version: tuple[int, int] | None) -> dict[str, str]:
    """Module → the file that Python would load for it from one folder."""
    best: dict[str, tuple[int, str]] = {}
    prefix = f"{folder}/" if folder else ""
    for path in paths:
        if not path.startswith(prefix):
            continue
        parts = path[len(prefix) :].split("/")
        if len(parts) > 2:
            continue
        name, rank = _module(parts[-1], version)
        if name is None or (len(parts) == 2 and name != "__init__"):
            continue
        key = parts[0] if len(parts) == 2 else name
        candidate = (rank + 10 * (len(parts) == 1), path)
        best[key] = min(best.get(key, candidate), candidate)
    return {name: path for name, (_, path) in best.items()}


def _module(name: str, version: tuple[int, int] | None) -> tuple[str | None, int]:
    """The module that a file is, and how late it is looked for; None where Python would not load it."""
    tagged = _TAGGED.search(name)
    if tagged is not None:
        fits = tagged[1] is None or version is None or (int(tagged[1]), int(tagged[2])) == version
        return (name[: tagged.start()] if fits else None), 0
    if name.endswith(".py"):
        return name[:-3], 1
    return (name[:-4], 2) if name.endswith(".pyc") else (None, 0)


def imported_by(files: Mapping[str, bytes]) -> set[str]:
    """The top-level modules that some sources import."""
    names: set[str] = set()
    for path, data in files.items():
        if path.endswith((".py", ".ipynb")):
            for module, modules in _IMPORT.findall(data):
                parts = [module] if module else modules.split(b",")
                names |= {part.split()[0].split(b".")[0].decode() for part in parts if part.strip()}
    return names


class Environment:
    """What an environment brings along: its modules, and which of its packages need which others."""

    def __init__(self, folders: Iterable[Path], version: tuple[int, int] | None) -> None:
        self.version = version
        self._needs: dict[str, set[str]] = {}
        self._modules: dict[str, str] = {}
        """Module → the distribution that brought it; its own name where none is known."""
        for packages in folders:
            self._read(packages)

    def _read(self, packages: Path) -> None:
        names = [entry.name + ("/__init__.py" if entry.is_dir() else "") for entry in packages.iterdir()]
        self._modules |= {name: name for name in modules_in(names, "", None) if name.isidentifier()}
        for metadata in packages.glob("*.dist-info/METADATA"):
            name = _plain(metadata.parent.name.split("-")[0])
            text = metadata.read_bytes()[:_METADATA_BYTES].decode(errors="replace")
            required = re.findall(r"^Requires-Dist: *([\w.-]+)[^;\n]*$", text, re.MULTILINE)
            self._needs[name] = {_plain(entry) for entry in required}
            self._modules |= dict.fromkeys(_brought(metadata.with_name("RECORD")), name)

    def modules(self) -> Collection[str]:
        """The top-level modules that its packages bring."""
        return self._modules.keys()

    def reached(self, imported: Iterable[str]) -> set[str]:
        """The modules among its own that are loaded where some are imported, packages needed included."""
        distributions = {self._modules[name] for name in imported if name in self._modules}
        waiting = list(distributions)
        while waiting:
            for required in self._needs.get(waiting.pop(), ()):
                if required not in distributions:
                    distributions.add(required)
                    waiting.append(required)
        return {name for name, distribution in self._modules.items() if distribution in distributions}


@lru_cache(maxsize=32)
def environment_at(folder: Path) -> Environment:
    """The environment in a folder, which is never changed once it was built."""
    return Environment(sorted(folder.glob("lib/python3*/site-packages")), _version(folder))


def own_environment() -> Environment:
    """The environment of the Python that runs this."""
    folders = [Path(folder) for folder in sys.path]
    packages = [folder for folder in folders if folder.name in ("site-packages", "dist-packages")]
    return Environment(filter(Path.is_dir, packages), sys.version_info[:2])


def is_standard(name: str) -> bool:
    """Whether a module belongs to Python itself and can be taken the place of."""
    return name in sys.stdlib_module_names and name not in sys.builtin_module_names


def _brought(record: Path) -> Iterator[str]:
    """The top-level modules that a distribution says it installed."""
    if not record.is_file():
        return
    for line in record.read_text(errors="replace").splitlines():
        path = line.partition(",")[0]
        first = path.partition("/")[0]
        name = first if "/" in path else _module(first, None)[0]
        if name and name.isidentifier():
            yield name


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _version(folder: Path) -> tuple[int, int] | None:
    library = next(iter(sorted(folder.glob("lib/python3.*"))), None)
    return (3, int(library.name.removeprefix("python3."))) if library is not None else None
