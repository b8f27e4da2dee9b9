"""Where else a masked body can be read: near twins among functions, and its text in any other file."""

from __future__ import annotations

import ast
import io
import re
import textwrap
import tokenize
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Literal

from assay.errors import MaskError
from assay.masking.engine import mask
from assay.masking.engine.parsing import parse, read
from assay.masking.engine.prose import prose
from assay.masking.leaks.hidden import Layer, Signature, Unread, layers, signature_of
from assay.masking.leaks.sources import Defined, Place, all_definitions

ALIKE = 0.8
LEAST_TOKENS = 20
LONG_LINE = 18
"""A line with fewer signs than this, spaces not counted, may stand anywhere by chance."""
SHARE_OF_LINES = 0.6
LEAST_BODY = 28
"""A whole body with fewer signs than this may stand anywhere by chance."""
LONGEST_SOURCE = 2_000_000
"""Bytes of a hidden source that is still parsed for near twins."""
_ENVIRONMENT = re.compile(r"\.(py|pyi|zip|whl|egg|tar|gz|tgz|bz2|xz|ipynb|txt|md|rst|html)$")
"""Files of an environment that can hold a copy; its libraries are large and hold none of the task's."""
_FUNCTION = re.compile(
    r"^([ \t]*)(?:async[ ]+)?def \w+\(.*\n(?:\1[ \t]+.*\n|[ \t]*\n|\1\).*\n)+", re.MULTILINE
)
"""A function as it stands in a document: all lines that are indented more than its first."""
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"\w+")


How = Literal["near twin", "text", "hidden copy", "compiled copy", "unread"]


@dataclass(frozen=True)
class Twin:
    """Another place that gives a body away, or may."""

    place: Place
    """The function that is given away."""
    where: str
    """A function of the repository, or a file of it or of the environment; `!` stands before a part of it."""
    alike: float
    verbatim: bool
    """Whether no task may be made while it is there."""
    how: How = "text"
    why: str = ""
    """Why a file could not be searched."""

    @property
    def words(self) -> str:
        """What is wrong, in words."""
        if self.how == "unread":
            return f"{self.where} cannot be searched for copies: {self.why}"
        what = {"near twin": "is a near twin", "hidden copy": "hides a near copy"}
        what |= {"compiled copy": "holds a compiled copy", "text": "holds the text"}
        verb = "holds the text" if self.verbatim and self.how == "near twin" else what[self.how]
        return f"{self.where} {verb} of {self.place.function} ({self.alike:.0%})"


@dataclass(frozen=True)
class _Wanted:
    """A masked function, and by what it is known."""

    defined: Defined
    lines: list[_Line]
    whole: str
    """All of the body without spaces and comments, where that is too long to be met by chance."""
    signature: Signature | None


def find_twins(
    places: Iterable[Place], files: Mapping[str, bytes], environment: Path | None = None
) -> list[Twin]:
    """Near twins of these functions, and their text anywhere else in the tree and in the environment.

    Archives, compressed and encoded data are looked into; what cannot be is a twin of every function.
    """
    found = list(all_definitions({path: data for path, data in files.items() if path.endswith(".py")}))
    by_place = {each.place: each for each in found}
    masked = [by_place[place] for place in places]
    twins = [twin for each in masked for twin in _alike(each, found)]
    wanted = [
        _Wanted(each, _telling_lines(each, files), _whole(each, files), _signature(each)) for each in masked
    ]
    for path, data in files.items():
        known = {twin.place for twin in twins if twin.where.startswith(f"{path}::")}
        others = [each for each in wanted if each.defined.place not in known]
        twins += _in_file(path, data, others, found)
    for inside, place in _environment_files(environment):
        twins += _in_file(inside, place.read_bytes(), wanted, ())
    return twins


def _environment_files(environment: Path | None) -> list[tuple[str, Path]]:
    paths = sorted(environment.glob("lib/python*/site-packages/**/*")) if environment else []
    plain = [path for path in paths if _ENVIRONMENT.search(path.name) and not path.is_symlink()]
    return [
        ("/".join(path.parts[path.parts.index("site-packages") :]), path) for path in plain if path.is_file()
    ]


def _in_file(path: str, data: bytes, wanted: Sequence[_Wanted], found: Iterable[Defined]) -> list[Twin]:
    """Every function that a file, or something inside it, gives away: one twin for each, the plainest."""
    own = [each for each in wanted if each.defined.place.file == path]
    others = [each for each in wanted if each.defined.place.file != path]
    twins = []
    for each in own:
        twins += _in_layers(path, _rest(data, each.defined.place), [each], found, own=True)
    return twins + _in_layers(path, data, others, found)


def _in_layers(
    path: str, data: bytes, wanted: Sequence[_Wanted], found: Iterable[Defined], own: bool = False
) -> list[Twin]:
    twins: list[Twin] = []
    for layer in layers(path, data) if wanted else ():
        given = {twin.place for twin in twins}
        left = [each for each in wanted if each.defined.place not in given]
        if isinstance(layer, Unread):
            twins += [Twin(each.defined.place, layer.where, 0.0, True, "unread", layer.why) for each in left]
        elif own:
            twins += _holding(layer, left)
        elif layer.depth == 0 and path.endswith(".py"):
            twins += _copies(layer, left, found)
        else:
            twins += _hidden(layer, left)
    return twins


def _rest(data: bytes, place: Place) -> bytes:
    """Comments and strings of a function's own file that stay when it is masked; its code is `_alike`'s."""
    try:
        text = read(mask(data, [place.function]).source)
        tree = parse(text)
    except MaskError:
        return b""
    strings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    said = [item.text for item in prose(text, tree)]
    words = [
        each if isinstance(each, str) else each.decode(errors="replace")
        for each in strings
        if isinstance(each, str | bytes)
    ]
    return "\n".join([*words, *said]).encode(errors="replace")


def _signature(defined: Defined) -> Signature | None:
    try:
        return signature_of(defined.node)
    except (SyntaxError, ValueError):
        # A function that leans on the names of another one around it cannot be compiled alone.
        return None


def _copies(layer: Layer, wanted: Sequence[_Wanted], found: Iterable[Defined]) -> list[Twin]:
    """Who in a file holds the text: its functions where they do, else the file."""
    held = _holding(layer, wanted) or _compiled(layer, wanted)
    functions = [each for each in found if each.place.file == layer.where] if held else []
    text = layer.data.decode(errors="replace") if functions else ""
    inner = [(str(each.place), ast.get_source_segment(text, each.node) or "") for each in functions]
    return [twin for where, part in inner for twin in _holding(Layer(where, part.encode()), wanted)] or held


def _hidden(layer: Layer, wanted: Sequence[_Wanted]) -> list[Twin]:
    """What a part of an archive or of encoded data gives away: its text, or a near twin of it."""
    twins = _holding(layer, wanted) or _compiled(layer, wanted)
    found = list(_functions_in(layer))
    known = {twin.place for twin in twins}
    for each in wanted:
        close = [] if each.defined.place in known else _alike(each.defined, found)
        twins += [replace(twin, where=layer.where, verbatim=True, how="hidden copy") for twin in close[:1]]
    return twins


def _functions_in(layer: Layer) -> Iterator[Defined]:
    """The functions of a source, or of the pieces of code in a document."""
    if b"def" not in layer.data or len(layer.data) > LONGEST_SOURCE:
        return
    whole = list(all_definitions({layer.where: layer.data}))
    yield from whole
    for text in layer.texts if not whole else ():
        for block in _FUNCTION.finditer(text):
            yield from all_definitions({layer.where: textwrap.dedent(block.group()).encode()})


def _compiled(layer: Layer, wanted: Sequence[_Wanted]) -> list[Twin]:
    if not layer.is_binary:
        return []
    return [
        Twin(each.defined.place, layer.where, 1.0, True, "compiled copy")
        for each in wanted
        if each.signature is not None and each.signature.in_binary(layer.data)
    ]


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
            twins.append(Twin(masked.place, str(other.place), round(ratio, 3), same, "near twin"))
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


def _body_lines(defined: Defined, files: Mapping[str, bytes]) -> list[str]:
    first = defined.node.body[0]
    start = (first.end_lineno if ast.get_docstring(defined.node) is not None else first.lineno - 1) or 0
    return files[defined.place.file].decode(errors="replace").splitlines()[start : defined.node.end_lineno]


def _whole(defined: Defined, files: Mapping[str, bytes]) -> str:
    lines = [line.partition("  #")[0] for line in _body_lines(defined, files)]
    squeezed = "".join(_squeeze(line) for line in lines if not line.lstrip().startswith("#"))
    return squeezed if len(squeezed) >= LEAST_BODY else ""


def _telling_lines(defined: Defined, files: Mapping[str, bytes]) -> list[_Line]:
    """The body's own lines, those that are too long to be met by chance."""
    written = _body_lines(defined, files)
    lines = [(_squeeze(line.partition("  #")[0]), _WORD.findall(line)) for line in written]
    telling = [_Line(line, max(words, key=len)) for line, words in lines if words and len(line) >= LONG_LINE]
    return telling if sum(len(line.squeezed) for line in telling) >= 2 * LONG_LINE else []


def _squeeze(text: str) -> str:
    return _SPACE.sub("", text).replace('"', "'")


def _holding(layer: Layer, wanted: Sequence[_Wanted]) -> list[Twin]:
    """Every function of which a text holds most telling lines."""
    words = {line.word for each in wanted for line in each.lines}
    words |= {max(_WORD.findall(each.whole), key=len) for each in wanted if each.whole and not each.lines}
    shares: dict[Place, float] = {}
    for text in layer.texts if words else ():
        if not any(word in text for word in words):
            continue
        squeezed = _squeeze(text)
        for each in wanted:
            held = sum(line.squeezed in squeezed for line in each.lines) / (len(each.lines) or 1)
            if each.whole and each.whole in squeezed:
                held = 1.0
            shares[each.defined.place] = max(held, shares.get(each.defined.place, 0.0))
    return [
        Twin(place, layer.where, round(share, 3), True)
        for place, share in shares.items()
        if share >= SHARE_OF_LINES
    ]


def documents(twins: Iterable[Twin], files: Mapping[str, bytes]) -> set[str]:
    """The files that give bodies away, or cannot be searched, and can be left out since they are no code."""
    paths = {twin.where.partition("!")[0] for twin in twins if twin.verbatim}
    return {path for path in paths if path in files and not path.endswith((".py", ".toml"))}
