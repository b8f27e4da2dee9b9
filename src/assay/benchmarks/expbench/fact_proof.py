"""Proves facts on the gold: they hold for the gold's own text, and no longer when what they state is removed.

What it does not cover: whether the gold runs. A fact about lines that never run is met by nobody.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

from assay.grading.derived_checks import (
    Evidence,
    RepositorySources,
    SeenCalls,
    SourceModule,
    SourceReader,
    decide,
    programs_of,
)
from assay.grading.execution_trace.statements import statements
from assay.tasks import Fact
from assay.workspace.notebooks import notebook_script

Cited = Mapping[str, Sequence[tuple[int, int]]]


def why_unproved(
    facts: Sequence[Fact], cited: Cited, tree: Mapping[str, bytes], repository: RepositorySources
) -> tuple[list[Fact], str]:
    """Return the facts whose way is proved, and why the others are not."""
    proved: list[Fact] = []
    reason = ""
    for alternative in (
        [fact for fact in facts if fact.kind == "lines"],
        [fact for fact in facts if fact.kind != "lines"],
    ):
        if not alternative:
            continue
        sources = {path: _text(path, tree[path]) for path in cited}
        if decide(alternative, text_evidence(sources, repository)).status != "met":
            reason = "not proved: the gold's own text does not meet it"
        elif any(
            decide(alternative, removed_evidence(fact, sources, repository)).status == "met"
            for fact in alternative
        ):
            reason = "not proved: it is still met without the matching call or option"
        else:
            proved += alternative
    return proved, reason


def _text(path: str, data: bytes) -> str:
    return ((notebook_script(data) or b"") if path.endswith(".ipynb") else data).decode(errors="replace")


def text_evidence(sources: Mapping[str, str], repository: RepositorySources) -> Evidence:
    """What some files do if every line of them runs."""
    evidence = Evidence()
    for path, text in sources.items():
        if path.endswith(".sh"):
            for program in programs_of(text):
                target = program.target
                if target.startswith("-m "):
                    target = repository.find_module(target[3:], path) or target
                elif target not in repository.files:
                    target = f"{path.rpartition('/')[0]}/{target}"
                evidence.programs.append((target, program.options))
            continue
        module = SourceModule(path, text)
        _add(evidence, module, repository)
        if path in repository.files and not path.endswith(".ipynb"):
            evidence.lines[path] = frozenset(range(1, len(text.splitlines()) + 1))
            evidence.sources[path] = text
    return evidence


def _add(evidence: Evidence, module: SourceModule, repository: RepositorySources) -> None:
    reading = SourceReader(module, repository).read(statements(module.tree))
    evidence.imports |= set(reading.imports)
    for name, values in reading.settings.items():
        evidence.settings.setdefault(name, []).extend(values)
    for call in reading.calls:
        if call.symbol is not None:
            calls = evidence.calls.setdefault((call.symbol.path, call.symbol.name), SeenCalls())
        else:
            calls = evidence.library.setdefault(call.name, SeenCalls())
        calls.count += 1
        arguments = {**call.traced, **call.arguments}
        longest = max((len(values) for values in arguments.values()), default=1)
        calls.arguments += [
            {name: values[min(place, len(values) - 1)] for name, values in arguments.items()}
            for place in range(longest)
        ]


def removed_evidence(fact: Fact, sources: Mapping[str, str], repository: RepositorySources) -> Evidence:
    """What the files do without what one fact states."""
    if fact.kind == "lines":
        evidence = text_evidence(sources, repository)
        cited = {line for first, last in fact.lines for line in range(first, last + 1)}
        evidence.lines[fact.name] -= cited
        return evidence
    if fact.kind == "program":
        name = fact.name.rpartition("/")[2].removesuffix(".py")
        return text_evidence(
            {path: _without_program(text, name) for path, text in sources.items()}, repository
        )
    return text_evidence(
        {path: _without(fact, path, text, repository) for path, text in sources.items()}, repository
    )


def _without_program(text: str, name: str) -> str:
    joined = text.replace("\\\n", " ")
    return "\n".join(line for line in joined.splitlines() if not re.search(rf"\b{re.escape(name)}\b", line))


def _without(fact: Fact, path: str, text: str, repository: RepositorySources) -> str:
    """The text of a Python file without the calls, imports or assignments of a fact."""
    module = SourceModule(path, text)
    reader = SourceReader(module, repository)
    return ast.unparse(_Remover(fact, reader).visit(module.tree))


class _Remover(ast.NodeTransformer):
    """Takes each statement out that does what a fact states, and leaves the statements inside it."""

    def __init__(self, fact: Fact, reader: SourceReader) -> None:
        self._fact, self._reader = fact, reader
        # They are read of the whole file, which changes while statements are taken out.
        reader.constants, reader.classes, reader.module.imports  # noqa: B018

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, ast.stmt) and self._does(node):
            inner = [
                child
                for name in ("body", "orelse", "finalbody")
                for child in getattr(node, name, [])
                if isinstance(child, ast.stmt)
            ]
            return ast.If(ast.Constant(True), inner, []) if inner else ast.Pass()
        return node

    def _does(self, node: ast.stmt) -> bool:
        reading, fact = self._reader.read([node]), self._fact
        if fact.kind == "import":
            parent = fact.name.rpartition(".")[0]
            return any(
                name in (fact.name, parent) or name.startswith(f"{fact.name}.") for name in reading.imports
            )
        if fact.kind == "setting":
            return fact.name in reading.settings
        return any(
            (call.symbol is not None and (call.symbol.path, call.symbol.name) == (fact.file, fact.symbol))
            or (fact.file is None and call.name == fact.name)
            for call in reading.calls
        )
