"""Finds text without effect in a source: comments, docstrings and other bare strings."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assay.errors import Unparsable
from assay.masking.engine.parsing import SourceText

_DIRECTIVE = re.compile(r"#\s*(?:noqa|type:\s*ignore|pragma|pylint|mypy|fmt|isort|ruff)\b")
_FIRST_LINES = re.compile(r"#!|#.*coding[:=]")


@dataclass(frozen=True, slots=True)
class Prose:
    """A block of comment lines, a comment after code, or a bare string; positions in UTF-8."""

    what: Literal["comment", "docstring"]
    start: int
    end: int
    line: int
    end_line: int
    alone: bool
    """True if its lines contain no code."""
    text: str


def find_prose(text: SourceText, tree: ast.Module) -> list[Prose]:
    """Return all prose in the order of the source, without tool directives and encoding lines."""
    prose_blocks = [*_comments(text), *_strings(text, tree)]
    return sorted(prose_blocks, key=lambda item: item.start)


def _comments(text: SourceText) -> Iterator[Prose]:
    block: list[Prose] = []
    for comment in _single_comments(text):
        if block and not (block[-1].alone and comment.alone and comment.line == block[-1].line + 1):
            yield _join_comments(block, text)
            block = []
        block.append(comment)
    if block:
        yield _join_comments(block, text)


def _single_comments(text: SourceText) -> Iterator[Prose]:
    ends = [*text.line_starts[1:], len(text.utf8)]
    lines = [
        text.utf8[start:end].decode().rstrip("\r\n") + "\n"
        for start, end in zip(text.line_starts, ends, strict=True)
    ]
    try:
        for token in tokenize.generate_tokens(iter(lines).__next__):
            if token.type != tokenize.COMMENT or _DIRECTIVE.match(token.string):
                continue
            row, column = token.start
            if row <= 2 and _FIRST_LINES.match(token.string):
                continue
            before = lines[row - 1][:column]
            start = text.offset(row, len(before.encode()))
            end = start + len(token.string.encode())
            yield Prose("comment", start, end, row, row, not before.strip(), token.string)
    except (tokenize.TokenError, SyntaxError) as error:
        raise Unparsable(f"its comments cannot be separated from its code: {error}") from error


def _join_comments(block: list[Prose], text: SourceText) -> Prose:
    first, last = block[0], block[-1]
    words = text.utf8[first.start : last.end].decode()
    return Prose("comment", first.start, last.end, first.line, last.line, first.alone, words)


def _strings(text: SourceText, tree: ast.Module) -> Iterator[Prose]:
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                assert node.end_lineno is not None
                assert node.end_col_offset is not None
                start = text.offset(node.lineno, node.col_offset)
                end = text.offset(node.end_lineno, node.end_col_offset)
                words = text.utf8[start:end].decode()
                yield Prose("docstring", start, end, node.lineno, node.end_lineno, True, words)
