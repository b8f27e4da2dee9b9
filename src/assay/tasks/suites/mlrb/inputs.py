"""The inputs of mlrb-mini: what they are, which are here, and how all of them are brought."""

from __future__ import annotations

import json
import tempfile
import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from assay.cache import cache_folder, locked
from assay.errors import InputMissing
from assay.tasks.config import Input
from assay.tasks.inputs import input_folder, keep_input
from assay.tasks.suites.mlrb.archives import Archives
from assay.tasks.suites.mlrb.makers import MAKERS, Sources

DATA = Path(__file__).parents[1] / "data" / "mlrb-mini"
LOCK = "inputs.json"
"""In the cache: name → the hash that an input had when it was made here."""


class Listed(Input):
    """An input, and the challenges that get it."""

    challenges: list[str]

    def plain(self) -> Input:
        """As a task has it, with the hash that was pinned or found here."""
        known = self.sha256 or recorded().get(self.name)
        return Input(**{**self.model_dump(exclude={"challenges"}), "sha256": known})


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


def recorded() -> dict[str, str]:
    """The lock: the hash of every input that was made on this machine."""
    path = cache_folder("mlrb-mini") / LOCK
    found: dict[str, str] = json.loads(path.read_text()) if path.is_file() else {}
    return found


def fetch(
    source: Path | None,
    gguf: Callable[[], Path],
    python: Callable[[], Path],
    said: Callable[[str], None] = lambda name: None,
) -> list[Input]:
    """Bring or make every input that is not here, and record its hash."""
    archives = Archives(source)

    def made(name: str) -> Path:
        wanted = next(each for each in listed() if each.name == name)
        if missing([wanted.plain()]):
            said(name)
            _make(wanted, Sources(archives, gguf, python, made))
        return input_folder(wanted.plain())

    with locked(cache_folder("mlrb-mini") / ".lock"):
        for each in listed():
            made(each.name)
    return [each.plain() for each in listed()]


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
    path.write_text(json.dumps({**recorded(), wanted.name: found}, indent=2, sort_keys=True) + "\n")
