"""Items and sessions of one study."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Policy:
    """A policy that is to be judged."""

    weights: tuple[float, ...]
    temperature: float
    mix: float


@dataclass(frozen=True)
class Settings:
    """Settings of one study, as its file has them."""

    seed: int
    length: int
    cut: int
    window: int
    prior: float
    least: float
    penalty: float
    cap: float
    threshold: float
    alpha: float
    replicates: int
    policies: tuple[Policy, ...]


@dataclass(frozen=True)
class Item:
    """One item with its group and its features."""

    number: int
    group: int
    features: np.ndarray


@dataclass(frozen=True)
class Session:
    """One session: who came when, what could be shown, what was shown, and what was clicked."""

    number: int
    user: int
    day: int
    context: np.ndarray
    pool: tuple[int, ...]
    slate: tuple[int, ...]
    chances: np.ndarray
    clicks: np.ndarray
    recorded: bool


@dataclass(frozen=True)
class Study:
    """All that is known."""

    items: dict[int, Item]
    sessions: list[Session]
    settings: Settings

    @property
    def training(self) -> list[Session]:
        """Recorded sessions before the cut."""
        return [session for session in self.sessions if session.day < self.settings.cut and session.recorded]

    @property
    def later(self) -> list[Session]:
        """Sessions from the cut on."""
        return [session for session in self.sessions if session.day >= self.settings.cut]

    @property
    def evaluation(self) -> list[Session]:
        """Recorded sessions from the cut on."""
        return [session for session in self.later if session.recorded]


def read_settings(path: Path) -> Settings:
    """Read the settings."""
    fields = json.loads(path.read_text())
    fields["policies"] = tuple(
        Policy(tuple(policy["weights"]), policy["temperature"], policy["mix"])
        for policy in fields["policies"]
    )
    return Settings(**fields)


def read_items(path: Path) -> dict[int, Item]:
    """Read the items."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name.startswith("f")]
    return {
        int(row["item"]): Item(
            int(row["item"]), int(row["group"]), np.array([float(row[name]) for name in names])
        )
        for row in rows
    }


def session_of(row: dict[str, str]) -> Session:
    """One line of the log."""
    names = [name for name in row if name.startswith("c") and name[1:].isdigit()]
    slate = tuple(int(item) for item in row["slate"].split())
    clicks = [float(click) for click in row["clicks"].split()]
    return Session(
        number=int(row["session"]),
        user=int(row["user"]),
        day=int(row["day"]),
        context=np.array([float(row[name]) for name in names]),
        pool=tuple(int(item) for item in row["pool"].split()),
        slate=slate,
        chances=np.array([float(chance) for chance in row["chances"].split()]),
        clicks=np.array(clicks) if clicks else np.zeros(len(slate)),
        recorded=bool(clicks),
    )


def read_log(path: Path) -> list[Session]:
    """Read the log."""
    found: dict[int, Session] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            session = session_of(row)
            found[session.number] = session
    return sorted(found.values(), key=lambda session: (session.day, session.number))


def read_study(folder: Path, name: str) -> Study:
    """Read the files of one study."""
    return Study(
        read_items(folder / f"{name}-items.csv"),
        read_log(folder / f"{name}-log.csv"),
        read_settings(folder / f"{name}-settings.json"),
    )
