"""Reads AutoExperiment's rows, in every version in which they were published.

Functions come from functions.jsonl (or functions.json). Experiments come from mlrc_exps.csv, from which the
rows were made, or else from experiments.jsonl, which has the numbers of an older run. Rows of mlrc_n=K.jsonl
contain results as an object, or as a string of JSON or Python.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.benchmarks.source_folders import read_text, refuse_linked_folders
from assay.errors import TaskError, UsageError
from assay.rules.plain_paths import is_plain

Results = dict[str, Any]


@dataclass(frozen=True)
class PublishedFunction:
    """A function that can be masked; the line numbers are the published ones and may be wrong."""

    paper: str
    id: str
    file: str
    name: str
    header_line: int | None
    line_start: int | None
    line_end: int | None
    excerpt: str = ""
    description: str = ""


@dataclass(frozen=True)
class PublishedExperiment:
    """One experiment of a paper."""

    paper: str
    id: str
    description: str
    results: Results
    dependencies: tuple[str, ...]
    command: str


@dataclass(frozen=True)
class PublishedTask:
    """One row of mlrc_n=K.jsonl."""

    place: str
    """The file and the line."""
    paper: str
    ids: tuple[str, ...]
    results: dict[str, Results]
    solution: str


@dataclass(frozen=True)
class Rows:
    """Everything that was published."""

    root: Path
    functions: dict[str, dict[str, PublishedFunction]] = field(default_factory=dict)
    experiments: dict[str, list[PublishedExperiment]] = field(default_factory=dict)
    tasks: list[PublishedTask] = field(default_factory=list)

    def relevant(self, paper: str, ids: tuple[str, ...]) -> list[PublishedExperiment]:
        """Return the experiments that depend on at least one of the functions, as the rows choose them."""
        return [
            experiment
            for experiment in self.experiments.get(paper, [])
            if set(ids) & set(experiment.dependencies)
        ]

    def usable(self, paper: str) -> list[str]:
        """Return the functions on which an experiment depends; only these can be tasks."""
        return [number for number in self.functions[paper] if self.relevant(paper, (number,))]


def find_root(folder: Path) -> Path:
    """Return the folder with the rows: the folder itself, or dataset/MLRC in a checkout."""
    for root in (folder, folder / "dataset" / "MLRC"):
        if any(root.glob("*/functions.json*")):
            refuse_linked_folders(root / "rows", folder)
            return root
    raise UsageError(
        f"{folder} contains no rows of AutoExperiment",
        hint="expected PAPER/functions.jsonl in it, or dataset/MLRC as in the repository",
    )


def read_rows(folder: Path) -> Rows:
    """Read everything that was published, from a folder."""
    rows = Rows(find_root(folder))
    for path in sorted(rows.root.glob("*/functions.json*")):
        for record in _records(path, rows.root) if path.suffix == ".jsonl" else _wrapped(path, rows.root):
            function = _function(record, str(path))
            functions = rows.functions.setdefault(function.paper, {})
            # functions.json is older and lacks some descriptions, so functions.jsonl takes precedence.
            if path.suffix == ".jsonl" or not path.with_suffix(".jsonl").is_file():
                functions[function.id] = function
    table = rows.root / "mlrc_exps.csv"
    for experiment in _table(table) if os.path.lexists(table) else _listed(rows.root):
        if experiment.paper in rows.functions:
            rows.experiments.setdefault(experiment.paper, []).append(experiment)
    for path in sorted(rows.root.glob("mlrc_n=*.jsonl")):
        rows.tasks.extend(
            _task(record, f"{path.name}:{line}") for line, record in enumerate(_records(path, rows.root), 1)
        )
    return rows


def read_results(text: Any, place: str) -> Results:
    """Parse results: an object, a string of JSON, or a string of Python."""
    if isinstance(text, dict):
        return text
    for read in (json.loads, ast.literal_eval):
        try:
            results = read(text)
        except (ValueError, SyntaxError, TypeError):
            continue
        if isinstance(results, dict):
            return results
    raise TaskError(place, f"results are {text!r}, expected an object of numbers"[:300])


def _records(path: Path, root: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(read_text(path, root).splitlines(), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError as error:
                raise TaskError(f"{path}:{number}", f"is not JSON: {error}") from None


def _wrapped(path: Path, root: Path) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = json.loads(read_text(path, root))["functions"]
    return records


def _table(path: Path) -> Iterator[PublishedExperiment]:
    for row in csv.DictReader(io.StringIO(read_text(path, path.parent), newline="")):
        if row["paper_id"]:
            yield _experiment(row, f"{path.name}, experiment {row['exp_id']} of {row['paper_id']}")


def _listed(root: Path) -> Iterator[PublishedExperiment]:
    for path in sorted(root.glob("*/experiments.jsonl")):
        for record in _records(path, root):
            yield _experiment(record, f"{path}, experiment {record.get('exp_id')}")


def _experiment(row: dict[str, Any], place: str) -> PublishedExperiment:
    try:
        return PublishedExperiment(
            paper=row["paper_id"],
            id=row["exp_id"],
            description=row["description"].replace('\\"', '"'),
            results=read_results(row["result"], place),
            dependencies=tuple(re.findall(r"\w+", row["func_dependencies"])),
            command=row["solution"],
        )
    except KeyError as error:
        raise TaskError(place, f"key {error} is missing") from None


def _paper_id(name: object, place: str) -> str:
    """Return the id of a paper, which is the name of its folder too."""
    if not isinstance(name, str) or "/" in name or not is_plain(name):
        raise TaskError(place, f"`paper_id` is {name!r}, expected the name of a folder"[:300])
    return name


def _function(row: dict[str, Any], place: str) -> PublishedFunction:
    try:
        return PublishedFunction(
            paper=_paper_id(row["paper_id"], place),
            id=str(row["func_id"]),
            file=row["file"],
            name=row["name"],
            header_line=_line(row.get("header_line")),
            line_start=_line(row.get("line_start")),
            line_end=_line(row.get("line_end")),
            excerpt=row.get("relevant_paper") or "",
            description=row.get("description") or "",
        )
    except KeyError as error:
        raise TaskError(place, f"key {error} is missing") from None


def _task(row: dict[str, Any], place: str) -> PublishedTask:
    try:
        results = read_results(row["results"], place)
        return PublishedTask(
            place=place,
            paper=row["paper_id"],
            ids=tuple(filter(None, str(row["func_ids"]).split(","))),
            results={name: read_results(value, place) for name, value in results.items()},
            solution=row["solution"],
        )
    except KeyError as error:
        raise TaskError(place, f"key {error} is missing") from None


def _line(value: Any) -> int | None:
    return int(value) if str(value).isdecimal() else None
