"""What is known about EXP-Bench's papers: pins and categories, which ship, and the published metadata."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from assay.benchmarks.source_folders import read_text
from assay.errors import TaskError, UsageError

DATA = Path(__file__).parent / "data"
UPSTREAM = "https://github.com/Just-Curieous/Curie"
COMMIT = "8309def9e66881fbb09471eacae19b8421914b87"
_NOTHING = re.compile(r"\s*(?:none|none specified|not specified|not required|n/?a|no)?\.?\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Pin:
    """The commit of a paper's repository; EXP-Bench itself pins none.

    It is the newest commit up to 2025-05-30 at which most of the paths that the tasks name exist.
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
    """The repository's own licence file, if it has one."""

    @property
    def name(self) -> str:
        """`neurips2024/98316`."""
        return f"{self.conference}/{self.paper}"

    @property
    def slug(self) -> str:
        """The name in a form that can be a file name."""
        return f"{self.conference}-{self.paper}"


@dataclass(frozen=True)
class Paper:
    """One paper, with what the metadata says its code needs."""

    name: str
    title: str
    abstract: str
    difficulty: int | None
    """1 to 5: how difficult a model judged the reproduction when the papers were chosen."""
    gpus: str
    """The GPUs that the metadata declares, in its words; empty for none."""
    api: str
    """The paid services that the metadata declares, in its words; empty for none."""
    pin: Pin | None

    @property
    def vocabulary(self) -> str:
        """The words by which the paper can be recognised: title, abstract and the name of its repository."""
        repository = self.pin.repository.rpartition("/")[2] if self.pin else ""
        return f"{self.title}\n{self.abstract}\n{repository}"

    @property
    def category(self) -> str:
        """The paper's field, as the shipped table has it."""
        return self.pin.category if self.pin else "unknown"


@cache
def pins() -> dict[str, Pin]:
    """Return paper id → pin, from the tables that ship with Assay."""
    details = {row["paper_id"]: row for row in _table("papers.csv")}
    pins_by_paper = {}
    for row in _table("pins.csv"):
        paper = details[row["paper_id"]]
        pins_by_paper[row["paper_id"]] = Pin(
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
    return pins_by_paper


def pin_of(name: str) -> Pin:
    """Return the pin of a paper by its name, `neurips2024/98316` or `98316`."""
    pin = pins().get(name.rpartition("/")[2])
    if pin is None or name not in (pin.name, pin.paper):
        examples = ", ".join(example.name for example in list(pins().values())[:3])
        raise UsageError(f"EXP-Bench has no paper {name!r}", hint=f"papers are named as in {examples}, …")
    return pin


def read_papers(root: Path) -> Callable[[str, str], Paper]:
    """Return a function that finds a paper by conference and id, from the metadata below a folder."""
    metadata: dict[str, dict[str, Any]] = {}
    for path in sorted(root.glob("logs/*/*.json")):
        for number, line in enumerate(read_text(path, root).splitlines(), 1):
            if line.strip():
                try:
                    row = json.loads(line)
                except ValueError as error:
                    raise TaskError(f"{path}:{number}", f"is not JSON: {error}") from None
                metadata[str(row["id"])] = row
    return lambda conference, paper_id: _paper(conference, paper_id, metadata.get(paper_id, {}))


def _paper(conference: str, paper_id: str, row: dict[str, Any]) -> Paper:
    assessment = row.get("reproduce_difficulty") or {}
    declared = assessment.get("resource_requirements") or {}
    if not isinstance(declared, dict):
        declared = {"GPUs": declared}
    api = next((value for key, value in declared.items() if key.casefold().startswith("api")), "")
    difficulty = assessment.get("difficulty")
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
    """Return a declaration in its own words; empty if it declares nothing."""
    if isinstance(value, dict):
        value = " ".join(str(value[key]) for key in ("amount", "type") if key in value)
    if value is True:
        return "needed"
    text = "" if value in (None, False) else str(value)
    return "" if _NOTHING.fullmatch(text) else text


def _table(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))
