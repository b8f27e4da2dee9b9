"""Finds what is wrong with AutoExperiment's published rows, and where."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assay.benchmarks.autoexperiment.rows import PublishedFunction, Rows
from assay.benchmarks.autoexperiment.sources import Definition, locate
from assay.errors import TaskError
from assay.masking.dial import combined_id, count_choices
from assay.tasks.files import read_tree

Kind = Literal["phantom", "duplicate", "lines", "cut", "source", "results", "count"]


@dataclass(frozen=True)
class RowsFinding:
    """One thing that is wrong, or worth knowing."""

    kind: Kind
    """phantom: a function that does not exist, or that no experiment runs. duplicate: a task occurs twice.
    lines: the published line numbers are wrong. cut: a file masked by those lines is not valid Python.
    source: the tree does not fit the rows. results: rows and experiments disagree. count: there are more or
    fewer tasks than are possible."""
    place: str
    text: str


def audit(rows: Rows) -> list[RowsFinding]:
    """Return every finding, in the order in which the rows are read."""
    return [*_phantoms(rows), *_duplicates(rows), *_results(rows), *_counts(rows), *_lines(rows)]


def _phantoms(rows: Rows) -> Iterator[RowsFinding]:
    for paper, functions in rows.functions.items():
        for experiment in rows.experiments.get(paper, []):
            for number in experiment.dependencies:
                if number not in functions:
                    text = f"depends on function {number}, which is not published"
                    yield RowsFinding("phantom", f"{paper}, experiment {experiment.id}", text)
        for number in functions:
            if number not in rows.usable(paper):
                masked_in = sum(task.paper == paper and number in task.ids for task in rows.tasks)
                text = f"no experiment depends on it, yet {masked_in} tasks mask it"
                yield RowsFinding("phantom", combined_id(paper, [number]), text)
    for task in rows.tasks:
        for number in task.ids:
            if number not in rows.functions.get(task.paper, {}):
                text = f"masks function {number}, which is not published"
                yield RowsFinding("phantom", f"{task.place} ({combined_id(task.paper, task.ids)})", text)


def _duplicates(rows: Rows) -> Iterator[RowsFinding]:
    places: dict[tuple[str, tuple[str, ...]], str] = {}
    for task in rows.tasks:
        key = (task.paper, tuple(sorted(task.ids)))
        if len(set(task.ids)) != len(task.ids):
            yield RowsFinding("duplicate", task.place, f"masks one function twice: {','.join(task.ids)}")
        if key in places:
            text = f"{combined_id(task.paper, task.ids)} is already at {places[key]}"
            yield RowsFinding("duplicate", task.place, text)
        places.setdefault(key, task.place)


def _results(rows: Rows) -> Iterator[RowsFinding]:
    differing = Counter(
        (task.paper, len(task.ids))
        for task in rows.tasks
        if task.paper in rows.functions and task.ids and task.results != _expected(rows, task.paper, task.ids)
    )
    for (paper, n), count in differing.items():
        text = f"the results of {count} tasks with n = {n} differ from those of the paper's experiments"
        yield RowsFinding("results", paper, text)


def _expected(rows: Rows, paper: str, ids: tuple[str, ...]) -> dict[str, dict[str, object]]:
    return {
        f"Experiment {number}": experiment.results
        for number, experiment in enumerate(rows.relevant(paper, ids), 1)
    }


def _counts(rows: Rows) -> Iterator[RowsFinding]:
    sizes = {paper: len(rows.usable(paper)) for paper in rows.functions}
    for n in sorted({len(task.ids) for task in rows.tasks} - {0}):
        rows_of_n = sum(len(task.ids) == n for task in rows.tasks)
        possible = sum(count_choices(sizes, n).values())
        if rows_of_n != possible:
            yield RowsFinding("count", f"n = {n}", f"{rows_of_n} rows, but {possible} tasks are possible")


def _lines(rows: Rows) -> Iterator[RowsFinding]:
    for paper, functions in rows.functions.items():
        tree = read_tree(rows.root / paper / "code", f"{paper}/code")
        if not tree:
            yield RowsFinding("source", paper, "the source tree is missing, so its lines cannot be checked")
            continue
        try:
            definitions = locate(list(functions.values()), tree)
        except TaskError as error:
            yield RowsFinding("source", paper, error.message)
            continue
        for number, definition in definitions.items():
            file = definition.published.file
            place = f"{combined_id(paper, [number])} ({file}, {definition.function.name})"
            if not definition.lines_are_right:
                yield RowsFinding("lines", place, _wrong_lines(definition))
            reason = cut_by_lines(tree[file], definition.published)
            if reason is not None:
                yield RowsFinding(
                    "cut", place, f"masking by its published lines gives invalid Python: {reason}"
                )


def _wrong_lines(definition: Definition) -> str:
    published = definition.published
    return (
        f"published as lines {published.header_line} to {published.line_end}, "
        f"but is in lines {definition.header} to {definition.function.end_line}"
    )


def cut_by_lines(source: bytes, published: PublishedFunction) -> str | None:
    """Say why a file does not parse after `pass` replaces a function's published lines; None if it parses."""
    if published.line_start is None or published.line_end is None or published.header_line is None:
        return "it has no line numbers"
    lines = source.decode("utf-8", errors="replace").splitlines()
    if published.line_end > len(lines):
        return f"line {published.line_end} is after the end of the file"
    header = lines[published.header_line - 1]
    depth = header[: len(header) - len(header.lstrip())] + "    "
    cut = [*lines[: published.line_start - 1], f"{depth}pass", *lines[published.line_end :]]
    try:
        ast.parse("\n".join(cut))
    except SyntaxError as error:
        return f"{error.msg}, line {error.lineno}"
    return None
