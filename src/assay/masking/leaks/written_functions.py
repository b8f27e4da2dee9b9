"""Finds functions in text that is no source: documents, comments, strings, sources of other Python versions.

What it does not cover: code without `def`, and a function in which most lines cannot be parsed.
"""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Iterable, Iterator

from assay.errors import Unparsable
from assay.masking.engine.parsing import SourceText, parse, read
from assay.masking.engine.prose import find_prose
from assay.masking.leaks.hidden import Layer, spellings
from assay.masking.leaks.sources import DefinedFunction, all_definitions

MAX_SOURCE_BYTES = 2_000_000
"""Largest source that is parsed for near twins, in bytes."""
_MAX_REPAIRS = 8
"""Lines of one function that may be written for another version of Python."""
_FUNCTION = re.compile(
    r"^(?P<mark>(?:[ \t]*(?:#+|>+|//|[-+*|;%]))?)(?P<indent>[ \t]*)"
    r"(?:async[ ]+)?def[ \t]+\S.*\n"
    r"(?:(?P=mark)(?P=indent)[ \t]+.*\n|(?:(?P=mark))?[ \t]*\n|(?P=mark)(?P=indent)\).*\n)+",
    re.MULTILINE,
)
"""A function in a text: all lines with more indentation than its first; each may begin with the same mark."""
_TYPE_PARAMETERS = re.compile(r"(def \w+)\[[^\n()]*\]\(")
_PROMPT = re.compile(r"^[ \t]*(?:>>>|\.\.\.)[ ]?", re.MULTILINE)
_PROMPT_FUNCTION = re.compile(r"^[ \t]*>>> *(?:async +)?def ", re.MULTILINE)
_NUMBER = re.compile(r"^[ \t]*\d{1,6}[.:|)\]]?(?=\s|$)", re.MULTILINE)
_NUMBERED_FUNCTION = re.compile(r"^[ \t]*\d{1,6}[.:|)\]]?[ \t]+(?:async +)?def ", re.MULTILINE)
_QUOTED_FUNCTION = re.compile(r"(?<=[\"'`])(?=(?:async +)?def \S)")
"""Where a string begins with a function, as in JSON."""
_COMMENT_INDENT = re.compile(r"^[ \t]+(?=#)", re.MULTILINE)
_COMMENT_LINE = re.compile(r"^#.*\n", re.MULTILINE)
_DEF = re.compile(rb"\bdef[ \t]+\S")
_PLACEHOLDER = re.compile(r"%\(\w+\)\w")
_PARAMETER = re.compile(r"[(,*]\s*([A-Za-z_]\w*)")


def functions_in(layer: Layer) -> Iterator[DefinedFunction]:
    """Yield the functions of a source with those in its comments and strings, or those of a document."""
    if b"def" not in layer.data or len(layer.data) > MAX_SOURCE_BYTES:
        return
    definitions = list(_definitions(layer.where, layer.data))
    yield from definitions
    yield from _in_texts(layer.where, _source_prose(layer) if definitions else layer.texts)


def functions_beside_code(layer: Layer, definition_count: int) -> Iterator[DefinedFunction]:
    """Yield the functions in comments and strings of a source, or all of a source that cannot be parsed.

    `definition_count` is the number of functions that the parser finds in the source.
    """
    if len(_DEF.findall(layer.data)) > definition_count and len(layer.data) <= MAX_SOURCE_BYTES:
        yield from _in_texts(layer.where, _source_prose(layer))


def prose_of(text: SourceText, tree: ast.Module) -> str:
    """Return the strings and comments of a source, one after the other."""
    nodes = list(ast.walk(tree))
    strings = [node.value for node in nodes if isinstance(node, ast.Constant)]
    strings += [_filled(node) for node in nodes if isinstance(node, ast.JoinedStr)]
    string_texts = [
        value if isinstance(value, str) else value.decode(errors="replace")
        for value in strings
        if isinstance(value, str | bytes)
    ]
    comments = [_COMMENT_INDENT.sub("", item.text) for item in find_prose(text, tree)]
    return "\n".join([*string_texts, *comments])


def _filled(string: ast.JoinedStr) -> str:
    """Return the text of an f-string with a name in place of each expression."""
    return "".join(
        part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "_"
        for part in string.values
    )


def _source_prose(layer: Layer) -> Iterator[str]:
    """Yield the comments and strings of a source; its whole text if it cannot be parsed."""
    try:
        text = read(layer.data)
        prose = prose_of(text, parse(text))
    except Unparsable:
        yield from layer.texts
    else:
        yield from spellings(prose)


def _in_texts(where: str, texts: Iterable[str]) -> Iterator[DefinedFunction]:
    """Yield the functions in the code blocks of texts."""
    blocks = dict.fromkeys(block for text in texts if "def " in text for block in _blocks(text))
    for block in blocks:
        yield from _definitions(where, _readable(block).encode(errors="replace"))


def _definitions(where: str, source: bytes) -> Iterator[DefinedFunction]:
    """Yield functions whose place is a part of a file, so that none counts as the masked function itself."""
    return all_definitions({f"{where}!text": source})


def _blocks(text: str) -> Iterator[str]:
    """Yield the text of each function, without marks, prompts and line numbers before its lines."""
    lines = _QUOTED_FUNCTION.sub("\n", re.sub(r"\r\n?", "\n", text)) + "\n"
    forms = [lines, _COMMENT_LINE.sub("", lines)]
    if _PROMPT_FUNCTION.search(lines):
        forms.append(_PROMPT.sub("", lines))
    if _NUMBERED_FUNCTION.search(lines):
        forms.append(_NUMBER.sub("", lines))
    for form in forms:
        for match in _FUNCTION.finditer(form):
            mark = match.group("mark")
            block_lines = [line.removeprefix(mark).expandtabs() for line in match.group().splitlines()]
            yield _TYPE_PARAMETERS.sub(r"\1(", textwrap.dedent("\n".join(block_lines)))


def _readable(block: str) -> str:
    """Return a function with other lines in place of those that this version of Python cannot read."""
    lines = block.split("\n")
    replaced: set[int] = set()
    for _ in range(_MAX_REPAIRS):
        number = _wrong_line(lines)
        if number is None or number in replaced:
            break
        replaced.add(number)
        end = _header_end(lines)
        if end is not None and number <= end:
            lines[: end + 1] = [_plain_header(lines[: end + 1]), *[""] * end]
            continue
        line = lines[number]
        statement = "pass"
        if line.rstrip().endswith(":"):
            statement = "except Exception:" if line.lstrip().startswith("except") else "if True:"
        lines[number] = line[: len(line) - len(line.lstrip())] + statement
    return "\n".join(lines)


def _header_end(lines: list[str]) -> int | None:
    """Return the index of the line that ends the first line of a function."""
    codes = (line.partition("#")[0].rstrip() for line in lines)
    return next((number for number, code in enumerate(codes) if code.endswith(":")), None)


def _plain_header(lines: list[str]) -> str:
    """Return the first line of a function whose name or parameters Python cannot read, as in a template."""
    header = _PLACEHOLDER.sub("", " ".join(lines))
    return f"def unnamed({', '.join(dict.fromkeys(_PARAMETER.findall(header)))}):"


def _wrong_line(lines: list[str]) -> int | None:
    """Return the index of the line at which the parser stops; None if it reads all, or for another error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse("\n".join(lines))
    except SyntaxError as error:
        return min(max((error.lineno or 1) - 1, 0), len(lines) - 1)
    except (ValueError, RecursionError, MemoryError):
        return None
    return None
