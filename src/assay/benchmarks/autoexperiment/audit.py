"""What is wrong with AutoExperiment's published rows, each finding with its place."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assay.benchmarks.autoexperiment.rows import PublishedFunction, Rows
from assay.benchmarks.autoexperiment.sources import Found, locate
from assay.errors import TaskError
from assay.masking.dial import combined_id, count_choices
from assay.tasks.files import read_tree

Kind = Literal["phantom", "duplicate", "lines", "cut", "source", "results", "count"]


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, or worth knowing."""

    kind: Kind
    """phantom: a function that is not there, or that nothing runs. duplicate: a task twice. lines: published
    line numbers that are not the function's. cut: masking by those lines leaves no Python. source: the tree
    does not fit. results: rows and experiments disagree. count: more or fewer tasks than there can be."""
    place: str
    text: str


def audit(rows: Rows) -> list[Finding]:
    """Every finding, in the order in which the rows are read."""
    return [*_phantoms(rows), *_duplicates(rows), *_results(rows), *_counts(rows), *_lines(rows)]


def _phantoms(rows: Rows) -> Iterator[Finding]:
    for paper, functions in rows.functions.items():
        for experiment in rows.experiments.get(paper, []):
            for number in experiment.dependencies:
                if number not in functions:
                    text = f"depends on function {number}, which is not published"
                    yield Finding("phantom", f"{paper}, experiment {experiment.id}", text)
        for number in functions:
            if number not in rows.usable(paper):
                masked_in = sum(task.paper == paper and number in task.ids for task in rows.tasks)
                text = f"no experiment depends on it, yet {masked_in} tasks mask it"
                yield Finding("phantom", combined_id(paper, [number]), text)
    for task in rows.tasks:
        for number in task.ids:
            if number not in rows.functions.get(task.paper, {}):
                text = f"masks function {number}, which is not published"
                yield Finding("phantom", f"{task.place} ({combined_id(task.paper, task.ids)})", text)


def _duplicates(rows: Rows) -> Iterator[Finding]:
    seen: dict[tuple[str, tuple[str, ...]], str] = {}
    for task in rows.tasks:
        key = (task.paper, tuple(sorted(task.ids)))
        if len(set(task.ids)) != len(task.ids):
            yield Finding("duplicate", task.place, f"masks one function twice: {','.join(task.ids)}")
        if key in seen:
            text = f"{combined_id(task.paper, task.ids)} stands at {seen[key]} already"
            yield Finding("duplicate", task.place, text)
        seen.setdefault(key, task.place)


def _results(rows: Rows) -> Iterator[Finding]:
    differing = Counter(
        (task.paper, len(task.ids))
        for task in rows.tasks
        if task.paper in rows.functions and task.ids and task.results != _expected(rows, task.paper, task.ids)
    )
    for (paper, n), count in differing.items():
        text = f"the results of {count} tasks with n = {n} are not those of the paper's experiments"
        yield Finding("results", paper, text)


def _expected(rows: Rows, paper: str, ids: tuple[str, ...]) -> dict[str, dict[str, object]]:
    return {f"Experiment {number}": each.results for number, each in enumerate(rows.relevant(paper, ids), 1)}


def _counts(rows: Rows) -> Iterator[Finding]:
    sizes = {paper: len(rows.usable(paper)) for paper in rows.functions}
    for n in sorted({len(task.ids) for task in rows.tasks} - {0}):
        there = sum(len(task.ids) == n for task in rows.tasks)
        possible = sum(count_choices(sizes, n).values())
        if there != possible:
            yield Finding("count", f"n = {n}", f"{there} rows, {possible} tasks are possible")


def _lines(rows: Rows) -> Iterator[Finding]:
    for paper, functions in rows.functions.items():
        tree = read_tree(rows.root / paper / "code", f"{paper}/code")
        if not tree:
            yield Finding("source", paper, "the source tree is not here, so lines cannot be checked")
            continue
        try:
            found = locate(list(functions.values()), tree)
        except TaskError as error:
            yield Finding("source", paper, error.message)
            continue
        for number, each in found.items():
            place = f"{combined_id(paper, [number])} ({each.published.file}, {each.function.name})"
            if not each.lines_are_right:
                yield Finding("lines", place, _wrong_lines(each))
            reason = cut_by_lines(tree[each.published.file], each.published)
            if reason is not None:
                yield Finding("cut", place, f"masked by its published lines the file is no Python: {reason}")


def _wrong_lines(found: Found) -> str:
    published = found.published
    return (
        f"published as {published.header_line} to {published.line_end}, "
        f"stands in {found.header} to {found.function.end_line}"
    )


def cut_by_lines(source: bytes, published: PublishedFunction) -> str | None:
    """Why a file does not parse once a function's published lines are replaced by `pass`, or None."""
    if published.line_start is None or published.line_end is None or published.header_line is None:
        return "it has no line numbers"
    lines = source.decode("utf-8", errors="replace").splitlines()
    if published.line_end > len(lines):
        return f"line {published.line_end} is behind the end of the file"
    header = lines[published.header_line - 1]
    depth = header[: len(header) - len(header.lstrip())] + "    "
    cut = [*lines[: published.line_start - 1], f"{depth}pass", *lines[published.line_end :]]
    try:
        ast.parse("\n".join(cut))
    except SyntaxError as error:
        return f"{error.msg}, line {error.lineno}"
    return None
