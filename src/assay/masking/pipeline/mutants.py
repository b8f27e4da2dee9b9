"""Broken versions of a function: one operator, constant, term, argument or statement changed in each."""

from __future__ import annotations

import ast
import copy
import random
import textwrap
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial

from assay.masking.leaks.sources import Definition, Place, unreached, with_definition
from assay.masking.pipeline.mutations import CHANGES
from assay.masking.pipeline.slips import changed


@dataclass(frozen=True)
class Mutant:
    """One broken version."""

    place: Place
    kind: str
    """Which sort of mistake."""
    line: int
    change: str
    """What was made of what."""
    source: bytes
    """The whole file."""
    version: str
    """The function alone, without decorators, inside its class if it has one."""


@dataclass(frozen=True)
class _Site:
    """One change, made on the function's only tree and taken back at once: copies of trees are slow."""

    kind: str
    line: int
    words: Callable[[], str]
    make: Callable[[], None]
    undo: Callable[[], None]


def mutants(
    source: bytes,
    place: Place,
    node: Definition,
    seed: int = 0,
    reached: Collection[int] | None = None,
) -> Iterator[Mutant]:
    """Broken versions that differ from the function and compile, in a seeded order, kinds in turn.

    Where it is known which lines the run reaches, nothing is changed in others: it would change no output.
    """
    plain = _without_docstring(node)
    seen = {ast.unparse(plain)}
    by_kind: dict[str, list[_Site]] = {}
    for site in _sites(plain, unreached(plain, reached)):
        by_kind.setdefault(site.kind, []).append(site)
    for site in _in_turn(by_kind, random.Random(f"{seed}:{place}")):
        site.make()
        try:
            text, version = ast.unparse(plain), alone(place, plain)
        finally:
            site.undo()
        if text not in seen and _compiles(version):
            seen.add(text)
            written = with_definition(source, place.function, text)
            yield Mutant(place, site.kind, site.line, site.words(), written, version)


def alone(place: Place, node: Definition) -> str:
    """A function without decorators, inside a class of the right name: private names depend on that."""
    text = ast.unparse(changed(node, decorator_list=[]))
    within = place.function.split(".")[:-1]
    return f"class {within[-1]}:\n{textwrap.indent(text, '    ')}\n" if within else f"{text}\n"


def _in_turn(by_kind: dict[str, list[_Site]], chance: random.Random) -> Iterator[_Site]:
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


def _sites(node: Definition, passed: set[ast.AST]) -> Iterator[_Site]:
    """Where the function can be broken, and how."""
    for each, put in _held(node):
        if each in passed:
            continue
        line = getattr(each, "lineno", node.lineno)
        for kind, change in CHANGES.items():
            for other in change(each):
                words = partial(_words, each, other)
                yield _Site(kind, line, words, partial(put, other), partial(put, each))
    yield from _sites_in_blocks(node, passed)


Put = Callable[[ast.AST], None]


def _held(node: Definition) -> Iterator[tuple[ast.AST, Put]]:
    """Every node of a body, outer ones first, with the way to put another in its place."""
    pending: list[tuple[ast.AST, Put]] = [
        (each, partial(node.body.__setitem__, number)) for number, each in enumerate(node.body)
    ]
    for each, put in pending:
        yield each, put
        for name, value in ast.iter_fields(each):
            if isinstance(value, ast.AST):
                pending.append((value, partial(setattr, each, name)))
            elif isinstance(value, list):
                pending += [
                    (part, partial(value.__setitem__, number))
                    for number, part in enumerate(value)
                    if isinstance(part, ast.AST)
                ]


def _words(before: ast.AST, after: ast.AST) -> str:
    return f"{_headline(before)} → {_headline(after)}"


def _headline(node: ast.AST) -> str:
    """A node's text, of a whole loop or branch what decides it."""
    if isinstance(node, ast.If | ast.While):
        return ast.unparse(node.test)[:60]
    if isinstance(node, ast.For | ast.comprehension):
        return ast.unparse(node.iter)[:60]
    return ast.unparse(ast.fix_missing_locations(node))[:60]


_BLOCKS = ("body", "orelse", "finalbody")


def _sites_in_blocks(node: Definition, passed: set[ast.AST]) -> Iterator[_Site]:
    """Statements dropped, and neighbours swapped."""
    for holder in ast.walk(node):
        for block in _BLOCKS:
            statements = getattr(holder, block, None)
            if not isinstance(statements, list):
                continue
            for place, statement in enumerate(statements):
                if statement not in passed:
                    yield from _sites_of_statement(statements, place)


def _sites_of_statement(statements: list[ast.stmt], place: int) -> Iterator[_Site]:
    statement = statements[place]
    put = partial(statements.__setitem__, place)
    keep = partial(put, statement)
    if not isinstance(statement, ast.Return | ast.Pass | ast.Import | ast.ImportFrom):
        drop, words = partial(put, ast.Pass()), partial(_told, statement, "→ nothing")
        yield _Site("dropped-statement", statement.lineno, words, drop, keep)
    if place and _plain(statement) and _plain(statements[place - 1]):
        swap, words = partial(_swap, statements, place), partial(_told, statement, "comes earlier")
        yield _Site("swapped-statements", statement.lineno, words, swap, swap)


def _told(statement: ast.stmt, what: str) -> str:
    return f"{ast.unparse(statement)[:60]} {what}"


def _plain(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr | ast.For | ast.If)


def _swap(statements: list[ast.stmt], place: int) -> None:
    statements[place - 1], statements[place] = statements[place], statements[place - 1]
