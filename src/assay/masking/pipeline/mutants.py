"""Makes broken versions of a function: each changes one operator, constant, term, argument or statement."""

from __future__ import annotations

import ast
import copy
import random
import textwrap
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial

from assay.masking.leaks.sources import Definition, FunctionPlace, unreached_nodes, with_definition
from assay.masking.pipeline.expression_changes import CHANGES
from assay.masking.pipeline.slips import with_fields


@dataclass(frozen=True)
class Mutant:
    """One broken version."""

    place: FunctionPlace
    kind: str
    """Kind of mistake."""
    line: int
    change: str
    """Description of the change."""
    source: bytes
    """The whole file."""
    version: str
    """Only the function, without decorators, inside its class if it has one."""


@dataclass(frozen=True)
class _PossibleChange:
    """One change, applied to the function's tree and undone at once: copies of trees are slow."""

    kind: str
    line: int
    describe: Callable[[], str]
    make: Callable[[], None]
    undo: Callable[[], None]


def mutants(
    source: bytes,
    place: FunctionPlace,
    node: Definition,
    seed: int = 0,
    reached: Collection[int] | None = None,
) -> Iterator[Mutant]:
    """Yield broken versions that differ from the function and compile, in a seeded order, alternating kinds.

    If the reached lines are known, other lines stay unchanged: a change there would change no output.
    """
    plain = _without_docstring(node)
    known_texts = {ast.unparse(plain)}
    by_kind: dict[str, list[_PossibleChange]] = {}
    for site in _possible_changes(plain, unreached_nodes(plain, reached)):
        by_kind.setdefault(site.kind, []).append(site)
    for site in _alternating_kinds(by_kind, random.Random(f"{seed}:{place}")):
        site.make()
        try:
            text, version = ast.unparse(plain), function_text(place, plain)
        finally:
            site.undo()
        if text not in known_texts and _compiles(version):
            known_texts.add(text)
            mutated_source = with_definition(source, place.function, text)
            yield Mutant(place, site.kind, site.line, site.describe(), mutated_source, version)


def function_text(place: FunctionPlace, node: Definition) -> str:
    """Return a function without decorators, inside a class of the right name, which private names need."""
    text = ast.unparse(with_fields(node, decorator_list=[]))
    class_names = place.function.split(".")[:-1]
    return f"class {class_names[-1]}:\n{textwrap.indent(text, '    ')}\n" if class_names else f"{text}\n"


def _alternating_kinds(
    by_kind: dict[str, list[_PossibleChange]], chance: random.Random
) -> Iterator[_PossibleChange]:
    rows = [by_kind[kind] for kind in sorted(by_kind)]
    for row in rows:
        chance.shuffle(row)
    while any(rows):
        for row in rows:
            if row:
                yield row.pop()


def _without_docstring(node: Definition) -> Definition:
    plain = copy.deepcopy(node)
    if ast.get_docstring(plain, clean=False) is not None and len(plain.body) > 1:
        plain.body = plain.body[1:]
    return plain


def _compiles(version: str) -> bool:
    try:
        compile(version, "mutant", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def _possible_changes(node: Definition, unreached: set[ast.AST]) -> Iterator[_PossibleChange]:
    """Yield all possible changes of a function."""
    for child, replace_node in _replaceable_nodes(node):
        if child in unreached:
            continue
        line = getattr(child, "lineno", node.lineno)
        for kind, change in CHANGES.items():
            for changed_node in change(child):
                description = partial(_describe_change, child, changed_node)
                yield _PossibleChange(
                    kind, line, description, partial(replace_node, changed_node), partial(replace_node, child)
                )
    yield from _statement_changes(node, unreached)


ReplaceNode = Callable[[ast.AST], None]


def _replaceable_nodes(node: Definition) -> Iterator[tuple[ast.AST, ReplaceNode]]:
    """Yield every node of a body, outer ones first, with a function that replaces it."""
    pending: list[tuple[ast.AST, ReplaceNode]] = [
        (statement, partial(node.body.__setitem__, number)) for number, statement in enumerate(node.body)
    ]
    for child, replace_node in pending:
        yield child, replace_node
        for name, value in ast.iter_fields(child):
            if isinstance(value, ast.AST):
                pending.append((value, partial(setattr, child, name)))
            elif isinstance(value, list):
                pending += [
                    (part, partial(value.__setitem__, number))
                    for number, part in enumerate(value)
                    if isinstance(part, ast.AST)
                ]


def _describe_change(before: ast.AST, after: ast.AST) -> str:
    return f"{_headline(before)} → {_headline(after)}"


def _headline(node: ast.AST) -> str:
    """Return a node's text; for a loop or branch only its condition."""
    if isinstance(node, ast.If | ast.While):
        return ast.unparse(node.test)[:60]
    if isinstance(node, ast.For | ast.comprehension):
        return ast.unparse(node.iter)[:60]
    return ast.unparse(ast.fix_missing_locations(node))[:60]


_BLOCKS = ("body", "orelse", "finalbody")


def _statement_changes(node: Definition, unreached: set[ast.AST]) -> Iterator[_PossibleChange]:
    """Yield changes that drop a statement or swap two neighbours."""
    for holder in ast.walk(node):
        for block in _BLOCKS:
            statements = getattr(holder, block, None)
            if not isinstance(statements, list):
                continue
            for position, statement in enumerate(statements):
                if statement not in unreached:
                    yield from _changes_of_statement(statements, position)


def _changes_of_statement(statements: list[ast.stmt], position: int) -> Iterator[_PossibleChange]:
    statement = statements[position]
    replace_node = partial(statements.__setitem__, position)
    keep = partial(replace_node, statement)
    if not isinstance(statement, ast.Return | ast.Pass | ast.Import | ast.ImportFrom):
        drop, words = partial(replace_node, ast.Pass()), partial(_describe_statement, statement, "→ nothing")
        yield _PossibleChange("dropped-statement", statement.lineno, words, drop, keep)
    if position and _can_be_swapped(statement) and _can_be_swapped(statements[position - 1]):
        swap, words = (
            partial(_swap, statements, position),
            partial(_describe_statement, statement, "comes earlier"),
        )
        yield _PossibleChange("swapped-statements", statement.lineno, words, swap, swap)


def _describe_statement(statement: ast.stmt, change: str) -> str:
    return f"{ast.unparse(statement)[:60]} {change}"


def _can_be_swapped(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr | ast.For | ast.If)


def _swap(statements: list[ast.stmt], position: int) -> None:
    statements[position - 1], statements[position] = statements[position], statements[position - 1]
