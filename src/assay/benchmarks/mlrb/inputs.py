"""The inputs of mlrb-mini: what they are, which are here, and how all of them are brought."""

from __future__ import annotations

import hashlib
import tempfile
import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from assay.benchmarks.mlrb.archives import Archives
from assay.benchmarks.mlrb.makers import MAKERS, PROGRAMS, Sources
from assay.cache import cache_folder, locked
from assay.errors import InputMissing, UsageError
from assay.files import publish
from assay.tasks.config import Input
from assay.tasks.inputs import input_folder, keep_input
from assay.tasks.metric import Strict

DATA = Path(__file__).parent / "data" / "mini"
LOCK = "lock.json"
"""In the cache: name → the hash that an input had when it was made here, and that of its program."""


class Listed(Input):
    """An input, the challenges that get it, and the program that makes it where that is one of ours."""

    challenges: list[str]
    program: str | None = None

    def plain(self) -> Input:
        """As a task has it, with the hash that was pinned, or found here when it was made by this program."""
        made = recorded().get(self.name)
        known = made.sha256 if made is not None and made.program == self.recipe() else None
        return Input(**{**self.model_dump(exclude={"challenges", "program"}), "sha256": self.sha256 or known})

    def recipe(self) -> str | None:
        """The digest of the program: another one makes another input."""
        if self.program is None:
            return None
        return hashlib.sha256((PROGRAMS / self.program).read_bytes()).hexdigest()


class Made(Strict):
    """One line of the lock."""

    sha256: str
    program: str | None


_LOCK = TypeAdapter(dict[str, Made])


@cache
def listed() -> tuple[Listed, ...]:
    """Every input of the suite."""
    table = tomllib.loads((DATA / "inputs.toml").read_text())
    return tuple(Listed.model_validate(each) for each in table["input"])


def inputs_of(challenge: str) -> list[Input]:
    """What one challenge gets."""
    return [each.plain() for each in listed() if challenge in each.challenges]


def missing(inputs: Sequence[Input]) -> list[str]:
    """The names of those that were not fetched; their contents are checked when they are used."""
    store = cache_folder("inputs")
    return [each.name for each in inputs if each.sha256 is None or not (store / each.sha256).is_dir()]


def recorded() -> dict[str, Made]:
    """The lock: every input that was made on this machine."""
    path = cache_folder("mlrb-mini") / LOCK
    return _LOCK.validate_json(path.read_bytes()) if path.is_file() else {}


def fetch(
    source: Path | None,
    tell: Callable[[str], None] = lambda name: None,
    only: str | None = None,
) -> list[Input]:
    """Bring or make every input that is not here, of one challenge or of all, and record its hash."""
    archives = Archives(source)
    wanted_inputs = [each for each in listed() if only is None or only in each.challenges]
    if not wanted_inputs:
        known = sorted({name for each in listed() for name in each.challenges})
        raise UsageError(f"mlrb-mini has no challenge {only!r}", hint=f"it has: {', '.join(known)}")

    def made(name: str) -> Path:
        wanted = next(each for each in listed() if each.name == name)
        if missing([wanted.plain()]):
            tell(name)
            _make(wanted, Sources(archives, made))
        return input_folder(wanted.plain())

    with locked(cache_folder("mlrb-mini") / ".lock"):
        for each in wanted_inputs:
            made(each.name)
    return [each.plain() for each in wanted_inputs]


def _make(wanted: Listed, sources: Sources) -> None:
    with tempfile.TemporaryDirectory(prefix="assay-input-") as place:
        MAKERS[wanted.name](sources, Path(place))
        found = keep_input(Path(place))
    if wanted.sha256 not in (None, found):
        raise InputMissing(
            f"input {wanted.name!r} came out as {found}, pinned is {wanted.sha256}",
            hint="its source serves other bytes than were looked at; bring the archives with --source",
        )
    path = cache_folder("mlrb-mini") / LOCK
    lock = {**recorded(), wanted.name: Made(sha256=found, program=wanted.recipe())}
    publish(path, _LOCK.dump_json(dict(sorted(lock.items())), indent=2))
