"""The inputs of the full tier: where each has its home, and the lock of what fetches found there.

Nobody of this project has fetched them. The first fetch on a machine records revision and hashes in the
user's cache; a later one that finds other bytes is refused. What a hash stands for is not verified by us
until `inputs.toml` itself names it.
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
    """One input, as `inputs.toml` tells of it."""

    name: str
    hub: str | None = Field(default=None, pattern=r"^(models|datasets)/[\w.-]+/[\w.-]+$")
    """`models/…` or `datasets/…`, a repository of the Hugging Face hub."""
    revision: str = "main"
    """What the first fetch asks the hub for; the commit that this was then is in the lock."""
    files: list[str] = ["*"]
    """Patterns of the repository's files that are taken."""
    addresses: list[str] = []
    unpack: bool = False
    """Whether what the addresses bring are archives."""
    rows: Literal["shown", "held"] | None = None
    """Which part of the rows is kept: one in ten is held, chosen by the hash of its name."""
    licence: str
    held: bool = False
    sha256: str | None = None
    """Named once someone of this project has looked at what it stands for."""
    gb: float = Field(gt=0)
    estimated: bool = True
    basis: str
    """Where the size is from."""
    challenges: list[str]

    @model_validator(mode="after")
    def _has_one_home(self) -> Source:
        if (self.hub is None) == (not self.addresses):
            raise ValueError(f"input {self.name!r} needs either `hub` or `addresses`")
        return self

    def plain(self) -> Input:
        """As a task has it, with the hash that was named or found here."""
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
        """What may be said of its hash."""
        return "verified" if self.sha256 else "not verified by us"


class Locked(Strict):
    """What a fetch found."""

    sha256: str
    """Of the whole folder; see `tasks.inputs.tree_hash`."""
    revision: str | None = None
    """The hub's commit; None for plain downloads."""
    files: dict[str, str]
    """Path → SHA-256 of every file as it came, before anything was unpacked."""


@cache
def sources() -> tuple[Source, ...]:
    """Every input of the suite."""
    table = tomllib.loads((DATA / "inputs.toml").read_text())
    return tuple(Source.model_validate(each) for each in table["input"])


def sources_of(challenge: str) -> list[Source]:
    """What one challenge gets."""
    return [each for each in sources() if challenge in each.challenges]


def needs_of(challenge: str) -> Needs:
    """The size of all downloads of one challenge."""
    wanted = sources_of(challenge)
    return Needs(
        download_gb=sum(each.gb for each in wanted), estimated=any(each.estimated for each in wanted)
    )


def recorded() -> dict[str, Locked]:
    """The lock of this machine."""
    path = cache_folder("mlrb") / LOCK
    found = json.loads(path.read_text()) if path.is_file() else {}
    return {name: Locked.model_validate(each) for name, each in found.items()}


def record(name: str, found: Locked) -> None:
    """Write one input into the lock, whole or not at all."""
    path = cache_folder("mlrb") / LOCK
    whole = {each: lock.model_dump() for each, lock in {**recorded(), name: found}.items()}
    publish(path, json.dumps(whole, indent=2, sort_keys=True).encode() + b"\n")
