"""The inputs of the full tier: their homes, and the lock that fetches write.

We have not fetched them. The first fetch on a machine records revision and hashes in the user's cache; a
later fetch with other bytes is refused. The contents behind a hash are not verified by us until `inputs.toml`
itself contains the hash.
"""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from assay.cache import cache_folder
from assay.files import publish
from assay.tasks.config import Input, Needs
from assay.tasks.metric import Strict

DATA = Path(__file__).parent / "data" / "full"
LOCK = "inputs.json"


class Source(Strict):
    """One input, as `inputs.toml` describes it."""

    name: str
    hub: str | None = Field(default=None, pattern=r"^(models|datasets)/[\w.-]+/[\w.-]+$")
    """`models/…` or `datasets/…`, a repository of the Hugging Face hub."""
    revision: str = "main"
    """The revision that the first fetch asks the hub for; the lock records its commit."""
    files: list[str] = ["*"]
    """Patterns of the repository's files to download."""
    addresses: list[str] = []
    unpack: bool = False
    """Whether the downloads are archives."""
    rows: Literal["shown", "held"] | None = None
    """Which part of the rows to keep: one row in ten is held, chosen by the hash of its name."""
    licence: str
    held: bool = False
    sha256: str | None = None
    """Set after one of us has checked the contents."""
    gb: float = Field(gt=0)
    estimated: bool = True
    basis: str
    """Where the size comes from."""
    challenges: list[str]

    @model_validator(mode="after")
    def _has_one_home(self) -> Source:
        if (self.hub is None) == (not self.addresses):
            raise ValueError(f"input {self.name!r} needs either `hub` or `addresses`")
        return self

    def plain(self) -> Input:
        """Return the input for a task, with its hash from `inputs.toml` or from the lock."""
        lock = recorded().get(self.name)
        home = f"the hub's {self.hub}" if self.hub else ", ".join(self.addresses)
        at = (lock.revision if lock else None) or (self.revision if self.hub else None)
        return Input(
            name=self.name,
            sha256=self.sha256 or (lock.sha256 if lock else None),
            origin=f"{home} at {at}" if at else home,
            licence=self.licence,
            held=self.held,
        )

    @property
    def standing(self) -> str:
        """Whether we have verified its hash, in words."""
        return "verified" if self.sha256 else "not verified by us"


class Locked(Strict):
    """The record of one fetch."""

    sha256: str
    """Of the whole folder; see `tasks.inputs.tree_hash`."""
    revision: str | None = None
    """The hub's commit; None for plain downloads."""
    files: dict[str, str]
    """Path → SHA-256 of every downloaded file, before unpacking."""


@cache
def sources() -> tuple[Source, ...]:
    """Return every input of the suite."""
    table = tomllib.loads((DATA / "inputs.toml").read_text())
    return tuple(Source.model_validate(entry) for entry in table["input"])


def sources_of(challenge: str) -> list[Source]:
    """Return the inputs of one challenge."""
    return [source for source in sources() if challenge in source.challenges]


def needs_of(challenge: str) -> Needs:
    """Return the size of all downloads of one challenge."""
    inputs = sources_of(challenge)
    return Needs(
        download_gb=sum(source.gb for source in inputs), estimated=any(source.estimated for source in inputs)
    )


def recorded() -> dict[str, Locked]:
    """Read the lock of this machine."""
    path = cache_folder("mlrb") / LOCK
    locks = json.loads(path.read_text()) if path.is_file() else {}
    return {name: Locked.model_validate(lock) for name, lock in locks.items()}


def record(name: str, new_lock: Locked) -> None:
    """Write one input into the lock file, completely or not at all."""
    path = cache_folder("mlrb") / LOCK
    locks = {key: lock.model_dump() for key, lock in {**recorded(), name: new_lock}.items()}
    publish(path, json.dumps(locks, indent=2, sort_keys=True).encode() + b"\n")
