"""Where else a masked body can be read: near twins among functions, and its text in any other file."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from assay.certify.making.sources import Defined, Place, all_definitions

ALIKE = 0.8
LEAST_TOKENS = 20
LONG_LINE = 18
"""A line with fewer signs than this, spaces not counted, may stand anywhere by chance."""
SHARE_OF_LINES = 0.6
_TEXT = re.compile(r"\.(py|pyi|md|rst|txt|ipynb|html|tex|cfg|toml)$")
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Twin:
    """Another place that gives a body away."""

    place: Place
    """The function that is given away."""
    where: str
    """A function of the repository, a file of it, or a file of the environment."""
    alike: float
    verbatim: bool


def find_twins(
    places: Iterable[Place], files: Mapping[str, bytes], environment: Path | None = None
) -> list[Twin]:
    """Near twins of these functions, and their text elsewhere in the tree and in the environment."""
    found = list(all_definitions({path: data for path, data in files.items() if path.endswith(".py")}))
    by_place = {each.place: each for each in found}
    masked = [by_place[place] for place in places]
    twins = [twin for each in masked for twin in _alike(each, found)]
    lines = {each.place: _telling_lines(each, files) for each in masked}
    for path, data in files.items():
        if _TEXT.search(path):
            known = {twin.place for twin in twins if twin.where.startswith(f"{path}::")}
            others = {p: each for p, each in lines.items() if p.file != path and p not in known}
            twins += _copies(path, _text(path, data), others, found)
    for source in sorted(environment.glob("lib/python*/site-packages/**/*.py")) if environment else []:
        inside = "/".join(source.parts[source.parts.index("site-packages") :])
        twins += _holding(source.read_text(errors="replace"), lines, inside)
    return twins


def _copies(path: str, text: str, lines: Mapping[Place, list[_Line]], found: Iterable[Defined]) -> list[Twin]:
    """Who in a file holds the text: its functions where they do, else the file."""
    held = _holding(text, lines, path)
    if not held:
        return []
    functions = [each for each in found if each.place.file == path]
    texts = {str(each.place): ast.get_source_segment(text, each.node) or "" for each in functions}
    return [twin for where, inner in texts.items() for twin in _holding(inner, lines, where)] or held


def _alike(masked: Defined, found: Iterable[Defined]) -> list[Twin]:
    tokens = _tokens(masked)
    if len(tokens) < LEAST_TOKENS:
        return []
    matcher: SequenceMatcher[str] = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(tokens)
    twins = []
    for other in found:
        if _overlap(masked.place, other.place):
            continue
        theirs = _tokens(other)
        if not 0.6 * len(tokens) < len(theirs) < 1.7 * len(tokens):
            continue
        matcher.set_seq1(theirs)
        if matcher.real_quick_ratio() <= ALIKE or matcher.quick_ratio() <= ALIKE:
            continue
        ratio = matcher.ratio()
        if ratio > ALIKE:
            same = _body(masked) == _body(other)
            twins.append(Twin(masked.place, str(other.place), round(ratio, 3), same))
    return twins


def _overlap(first: Place, second: Place) -> bool:
    """Whether two functions are one, or one lies inside the other and is masked with it."""
    names = f"{first.function}.", f"{second.function}."
    return first.file == second.file and (names[0].startswith(names[1]) or names[1].startswith(names[0]))


def _body(defined: Defined) -> str:
    statements = defined.node.body
    if ast.get_docstring(defined.node, clean=False) is not None:
        statements = statements[1:]
    return "\n".join(ast.unparse(each) for each in statements)


def _tokens(defined: Defined) -> list[str]:
    """The body's tokens in Python's own spelling, every local name the same."""
    own = {node.arg for node in ast.walk(defined.node) if isinstance(node, ast.arg)}
    own |= {
        node.id
        for node in ast.walk(defined.node)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    words = []
    for token in tokenize.generate_tokens(io.StringIO(_body(defined)).readline):
        if token.string.strip():
            words.append("name" if token.string in own else token.string)
    return words


@dataclass(frozen=True)
class _Line:
    squeezed: str
    """Without spaces, every quote the same."""
    word: str
    """Its longest word: where that is not, the line is not, and looking is cheap."""


def _telling_lines(defined: Defined, files: Mapping[str, bytes]) -> list[_Line]:
    """The body's own lines, those that are too long to be met by chance."""
    first = defined.node.body[0]
    start = (first.end_lineno if ast.get_docstring(defined.node) is not None else first.lineno - 1) or 0
    written = files[defined.place.file].decode(errors="replace").splitlines()[start : defined.node.end_lineno]
    lines = [(_squeeze(line.partition("  #")[0]), _WORD.findall(line)) for line in written]
    telling = [_Line(line, max(words, key=len)) for line, words in lines if words and len(line) >= LONG_LINE]
    return telling if sum(len(line.squeezed) for line in telling) >= 2 * LONG_LINE else []


def _squeeze(text: str) -> str:
    return _SPACE.sub("", text).replace('"', "'")


def _holding(text: str, lines: Mapping[Place, list[_Line]], where: str) -> list[Twin]:
    if not any(line.word in text for telling in lines.values() for line in telling):
        return []
    squeezed = _squeeze(text)
    twins = []
    for place, telling in lines.items():
        share = sum(line.squeezed in squeezed for line in telling) / (len(telling) or 1)
        if share >= SHARE_OF_LINES:
            twins.append(Twin(place, where, round(share, 3), True))
    return twins


def _text(path: str, data: bytes) -> str:
    text = data.decode(errors="replace")
    if not path.endswith(".ipynb"):
        return text
    try:
        cells = json.loads(text)["cells"]
        return "\n".join("".join(cell["source"]) for cell in cells)
    except (ValueError, LookupError, TypeError):
        return text


def documents(twins: Iterable[Twin], files: Mapping[str, bytes]) -> set[str]:
    """The files that give bodies away and are no code, so that they can be left out."""
    return {twin.where for twin in twins if twin.where in files and not twin.where.endswith((".py", ".toml"))}
