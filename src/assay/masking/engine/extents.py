"""Measures where the parts of a definition begin and end, to the byte.

The syntax tree contains the positions of nodes; the rest (the colon, comments, continued lines) is found by
scanning between two nodes, where no string can occur, so that only comments need care.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.masking.engine.parsing import NEWLINE, SourceText

Definition = ast.FunctionDef | ast.AsyncFunctionDef

# No possessive quantifiers and no atomic groups: Python 3.11.0 to 3.11.4 match them wrongly (gh-106052),
# and a mask must not depend on the interpreter that makes it.
_COLON_OR_COMMENT = re.compile(rb":|#[^\r\n]*")
_GAP = re.compile(rb"(?:[ \t\f]|\\(?:\r\n?|\n))*")
_REST_OF_LINE = re.compile(rb"(?:[ \t\f;]|\\(?:\r\n?|\n))*(?:#[^\r\n]*)?")
_BARE_LINES = re.compile(rb"(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n?|\n))*")
_BARE_LINE = re.compile(rb"(?:\r\n|\r(?!\n)|\n)([ \t\f]*)(#[^\r\n]*)?(?=[\r\n]|\Z)")
_INDENTATION = re.compile(rb"(?:\\(?:\r\n?|\n))*([ \t\f]*)")
_CONTINUED = re.compile(rb"[ \t\f]*\\(?:\r\n?|\n)")


@dataclass(frozen=True, slots=True)
class Extent:
    """Positions of one definition in the UTF-8 text."""

    start: int
    header_end: int
    """Position after the colon that ends the signature."""
    body_start: int
    first_line: int
    """Start of the first statement's line: before it are only comments and empty lines."""
    docstring: tuple[int, int] | None
    end: int
    inline: bool
    """True if the body is on the signature's line."""
    indentation: bytes
    """Indentation of the body's lines; for a one-liner, the indentation that they would have."""
    newline: bytes


def measure(text: SourceText, node: Definition) -> Extent:
    """Measure one definition, with the comments that belong to its body."""
    utf8 = text.utf8
    header_end = _end_of_colon(utf8, _last_of_signature(text, node))
    gap_end = _match_at(_GAP, utf8, header_end).end()
    inline = utf8[gap_end : gap_end + 1] not in (b"#", b"\r", b"\n")
    outer = _indentation_of_definition(text, node)
    if inline:
        body_start = first_line = gap_end
        indentation = outer + (b"\t" if b"\t" in outer else b"    ")
        newline = NEWLINE.search(utf8, gap_end) or NEWLINE.search(utf8)
    else:
        newline = NEWLINE.search(utf8, gap_end)
        body_start = newline.end() if newline else len(utf8)
        first_line = _match_at(_BARE_LINES, utf8, body_start).end()
        indentation = _match_at(_INDENTATION, utf8, first_line).group(1)
    return Extent(
        start=_definition_start(text, node),
        header_end=header_end,
        body_start=body_start,
        first_line=first_line,
        docstring=_docstring(text, node),
        end=_end(text, node, outer),
        inline=inline,
        indentation=indentation,
        newline=newline.group() if newline else b"\n",
    )


def _match_at(pattern: re.Pattern[bytes], utf8: bytes, start: int) -> re.Match[bytes]:
    match = pattern.match(utf8, start)
    assert match is not None, f"{pattern.pattern!r} must match what the parser has accepted"
    return match


def _end_of_colon(utf8: bytes, start: int) -> int:
    """Return the position after the first colon outside comments."""
    return next(match.end() for match in _COLON_OR_COMMENT.finditer(utf8, start) if match.group() == b":")


def _definition_start(text: SourceText, node: Definition) -> int:
    if not node.decorator_list:
        return text.offset(node.lineno, node.col_offset)
    # Between `@` and its expression only brackets, comments and continued lines can occur.
    for line in range(node.decorator_list[0].lineno, 0, -1):
        start = text.offset(line, 0)
        position = _match_at(_GAP, text.utf8, start).end()
        if text.utf8[position : position + 1] == b"@":
            return position
    raise AssertionError("a decorator must start with @")


def _last_of_signature(text: SourceText, node: Definition) -> int:
    """Return a position after every expression of the signature, where no string can occur."""
    last = text.offset(node.lineno, node.col_offset)
    return max([last, *(text.offset(line, column) for line, column in _ends(node))])


def _ends(node: Definition) -> Iterator[tuple[int, int]]:
    arguments = node.args
    parts: list[ast.expr | ast.arg | None] = [
        *getattr(node, "type_params", ()),
        *arguments.posonlyargs,
        *arguments.args,
        arguments.vararg,
        *arguments.kwonlyargs,
        arguments.kwarg,
        *arguments.defaults,
        *arguments.kw_defaults,
        node.returns,
    ]
    for part in parts:
        if part is not None:
            assert part.end_lineno is not None
            assert part.end_col_offset is not None
            yield part.end_lineno, part.end_col_offset


def _docstring(text: SourceText, node: Definition) -> tuple[int, int] | None:
    first = node.body[0]
    if not (isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)):
        return None
    if not isinstance(first.value.value, str):
        return None
    assert first.end_lineno is not None
    assert first.end_col_offset is not None
    start = text.offset(first.lineno, first.col_offset)
    return start, text.offset(first.end_lineno, first.end_col_offset)


def _indentation_of_definition(text: SourceText, node: Definition) -> bytes:
    line = node.lineno
    while line > 1 and _CONTINUED.fullmatch(text.utf8, text.offset(line - 1, 0), text.offset(line, 0)):
        line -= 1
    return _match_at(_INDENTATION, text.utf8, text.offset(line, 0)).group(1)


def _end(text: SourceText, node: Definition, outer: bytes) -> int:
    """Return the position after the last statement, its comment, and deeper comment lines after it."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    last = text.offset(node.end_lineno, node.end_col_offset)
    end = position = _match_at(_REST_OF_LINE, text.utf8, last).end()
    depth = _column(outer)
    while bare := _BARE_LINE.match(text.utf8, position):
        position = bare.end()
        if bare.group(2) is None:
            continue
        if _column(bare.group(1)) <= depth:
            break
        end = position
    return end


def _column(indentation: bytes) -> int:
    """Return the column as the tokenizer counts it: a form feed resets it, a tab moves to the next eight."""
    return len(indentation.rpartition(b"\f")[2].expandtabs(8))
