"""The inputs of mlrb-mini: their list, which are missing, and how to fetch them."""

from __future__ import annotations

import hashlib
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
from assay.sandbox.host.scratch import temporary_folder
from assay.tasks.config import Input
from assay.tasks.inputs import input_folder, keep_input
from assay.tasks.metric import Strict

DATA = Path(__file__).parent / "data" / "mini"
LOCK = "lock.json"
"""In the cache: name → the hash of an input that was made on this machine, and of its program."""


class Listed(Input):
    """An input, the challenges that use it, and the program that makes it, if it is one of ours."""

    challenges: list[str]
    program: str | None = None

    def plain(self) -> Input:
        """Return the input for a task, with its pinned hash, or the hash recorded for this program."""
        lock_entry = recorded().get(self.name)
        recorded_hash = (
            lock_entry.sha256 if lock_entry is not None and lock_entry.program == self.recipe() else None
        )
        return Input(
            **{**self.model_dump(exclude={"challenges", "program"}), "sha256": self.sha256 or recorded_hash}
        )

    def recipe(self) -> str | None:
        """Return the digest of the program: another program makes another input."""
        if self.program is None:
            return None
        return hashlib.sha256((PROGRAMS / self.program).read_bytes()).hexdigest()


class Made(Strict):
    """One entry of the lock."""

    sha256: str
    program: str | None


_LOCK = TypeAdapter(dict[str, Made])


@cache
def listed() -> tuple[Listed, ...]:
    """Return every input of the suite."""
    table = tomllib.loads((DATA / "inputs.toml").read_text())
    return tuple(Listed.model_validate(entry) for entry in table["input"])


def inputs_of(challenge: str) -> list[Input]:
    """Return the inputs of one challenge."""
    return [entry.plain() for entry in listed() if challenge in entry.challenges]


def missing(inputs: Sequence[Input]) -> list[str]:
    """Return the names of inputs that were not fetched; their contents are checked at use."""
    store = cache_folder("inputs")
    return [input_.name for input_ in inputs if input_.sha256 is None or not (store / input_.sha256).is_dir()]


def recorded() -> dict[str, Made]:
    """Read the lock: every input that was made on this machine."""
    path = cache_folder("mlrb-mini") / LOCK
    return _LOCK.validate_json(path.read_bytes()) if path.is_file() else {}


def fetch(
    source: Path | None,
    tell: Callable[[str], None] = lambda name: None,
    challenge: str | None = None,
) -> list[Input]:
    """Make every missing input of one challenge or of all, and record its hash."""
    archives = Archives(source)
    selected = [entry for entry in listed() if challenge is None or challenge in entry.challenges]
    if not selected:
        challenges = sorted({name for entry in listed() for name in entry.challenges})
        raise UsageError(f"mlrb-mini has no challenge {challenge!r}", hint=f"it has: {', '.join(challenges)}")

    def make_or_find(name: str) -> Path:
        required = next(entry for entry in listed() if entry.name == name)
        if missing([required.plain()]):
            tell(name)
            _make(required, Sources(archives, make_or_find))
        return input_folder(required.plain())

    with locked(cache_folder("mlrb-mini") / ".lock"):
        for entry in selected:
            make_or_find(entry.name)
    return [entry.plain() for entry in selected]


def _make(entry: Listed, sources: Sources) -> None:
    with temporary_folder("input") as folder:
        MAKERS[entry.name](sources, folder)
        sha256 = keep_input(folder)
    if entry.sha256 not in (None, sha256):
        raise InputMissing(
            f"input {entry.name!r} has the hash {sha256}, expected {entry.sha256}",
            hint="its source now serves other bytes; give local archives with --source",
        )
    path = cache_folder("mlrb-mini") / LOCK
    lock = {**recorded(), entry.name: Made(sha256=sha256, program=entry.recipe())}
    publish(path, _LOCK.dump_json(dict(sorted(lock.items())), indent=2))
