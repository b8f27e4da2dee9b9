"""What is known of EXP-Bench's papers: pins and categories, which ship, and what its metadata declares."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from assay.errors import TaskError, UsageError

DATA = Path(__file__).parent / "data"
UPSTREAM = "https://github.com/Just-Curieous/Curie"
COMMIT = "8309def9e66881fbb09471eacae19b8421914b87"
_NOTHING = re.compile(r"\s*(?:none|none specified|not specified|not required|n/?a|no)?\.?\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Pin:
    """The commit of a paper's repository; upstream pins none.

    The newest one up to 2025-05-30 at which most of the paths that the tasks name exist.
    """

    paper: str
    conference: str
    repository: str
    commit: str | None
    date: str | None
    paths_present: int | None
    paths_named: int
    category: str
    licence_file: str | None
    """The repository's own licence file, where it has one."""

    @property
    def name(self) -> str:
        """`neurips2024/98316`."""
        return f"{self.conference}/{self.paper}"

    @property
    def slug(self) -> str:
        """The name in a form that is fit for a file."""
        return f"{self.conference}-{self.paper}"


@dataclass(frozen=True)
class Paper:
    """One paper, with what the metadata says its code needs."""

    name: str
    title: str
    abstract: str
    difficulty: int | None
    """1 to 5, as a model judged the reproduction when the papers were chosen."""
    gpus: str
    """What is declared, in its words; empty for none."""
    api: str
    """Calls of paid services, in its words; empty for none."""
    pin: Pin | None

    @property
    def category(self) -> str:
        """The paper's field, as the shipped table has it."""
        return self.pin.category if self.pin else "unknown"


@cache
def pins() -> dict[str, Pin]:
    """Paper id → pin, from the tables that ship."""
    about = {row["paper_id"]: row for row in _table("papers.csv")}
    found = {}
    for row in _table("pins.csv"):
        paper = about[row["paper_id"]]
        found[row["paper_id"]] = Pin(
            paper=row["paper_id"],
            conference=paper["conference"],
            repository=row["repo_url"],
            commit=row["commit"] or None,
            date=row["commit_date"] or None,
            paths_present=int(row["paths_present"]) if row["paths_present"] else None,
            paths_named=int(row["paths_named"]),
            category=paper["category"],
            licence_file=paper["licence_file"] or None,
        )
    return found


def pin_of(name: str) -> Pin:
    """A pin by `neurips2024/98316` or `98316`."""
    found = pins().get(name.rpartition("/")[2])
    if found is None or name not in (found.name, found.paper):
        known = ", ".join(each.name for each in list(pins().values())[:3])
        raise UsageError(f"EXP-Bench has no paper {name!r}", hint=f"papers are named as in {known}, …")
    return found


def read_papers(root: Path) -> Callable[[str, str], Paper]:
    """A look-up of papers by conference and id, from the metadata below a folder."""
    metadata: dict[str, dict[str, Any]] = {}
    for path in sorted(root.glob("logs/*/*.json")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if line.strip():
                try:
                    row = json.loads(line)
                except ValueError as error:
                    raise TaskError(f"{path}:{number}", f"is not JSON: {error}") from None
                metadata[str(row["id"])] = row
    return lambda conference, paper_id: _paper(conference, paper_id, metadata.get(paper_id, {}))


def _paper(conference: str, paper_id: str, row: dict[str, Any]) -> Paper:
    told = row.get("reproduce_difficulty") or {}
    declared = told.get("resource_requirements") or {}
    if not isinstance(declared, dict):
        declared = {"GPUs": declared}
    api = next((value for key, value in declared.items() if key.casefold().startswith("api")), "")
    difficulty = told.get("difficulty")
    return Paper(
        name=f"{conference}/{paper_id}",
        title=row.get("title", paper_id),
        abstract=re.sub(r"^Abstract:\s*", "", row.get("abstract", "")),
        difficulty=difficulty if isinstance(difficulty, int) else None,
        gpus=_declared(declared.get("GPUs", "")) if row else "unknown",
        api=_declared(api) if row else "unknown",
        pin=pins().get(paper_id),
    )


def _declared(value: object) -> str:
    """A declaration in its own words, and nothing where it declares nothing."""
    if isinstance(value, dict):
        value = " ".join(str(value[key]) for key in ("amount", "type") if key in value)
    if value is True:
        return "needed"
    text = "" if value in (None, False) else str(value)
    return "" if _NOTHING.fullmatch(text) else text


def _table(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))
