"""Finds copies of a masked body: near twins among functions, and its text in any other file."""

from __future__ import annotations

import ast
import io
import re
import textwrap
import tokenize
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Literal

from packaging.utils import canonicalize_name

from assay.masking.leaks.hidden import Layer, Signature, UnreadPart, layers, signature_of
from assay.masking.leaks.own_file import remaining_parts
from assay.masking.leaks.sources import DefinedFunction, FunctionPlace, all_definitions

MIN_SIMILARITY = 0.8
MIN_TOKENS = 20
MIN_LINE_LENGTH = 18
"""A line with fewer characters, without spaces, may occur elsewhere by chance."""
MIN_LINE_SHARE = 0.6
MIN_OWN_LINES = 3
MIN_OWN_SHARE = 0.8
"""Share of lines that another part of the same file must have, because its functions may share some."""
MIN_BODY_LENGTH = 28
"""A whole body with fewer characters may occur elsewhere by chance."""
MAX_SOURCE_BYTES = 2_000_000
"""Largest hidden source that is parsed for near twins, in bytes."""
_ENVIRONMENT = re.compile(r"\.(py|pyi|zip|whl|egg|tar|gz|tgz|bz2|xz|ipynb|txt|md|rst|html)$")
"""Files of an environment that can contain a copy; its libraries are large and contain no task code."""
_FUNCTION = re.compile(
    r"^([ \t]*)(?:async[ ]+)?def \w+\(.*\n(?:\1[ \t]+.*\n|[ \t]*\n|\1\).*\n)+", re.MULTILINE
)
"""A function in a document: all lines with more indentation than its first."""
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"\w+")


TwinKind = Literal["near twin", "text", "hidden copy", "compiled copy", "unread"]


@dataclass(frozen=True)
class Twin:
    """Another place that reveals a body, or may reveal it."""

    place: FunctionPlace
    """The revealed function."""
    where: str
    """A function of the repository, or a file of it or of the environment; `!` precedes a part of a file."""
    alike: float
    verbatim: bool
    """True if it forbids a task."""
    how: TwinKind = "text"
    why: str = ""
    """Why a file could not be searched."""

    @property
    def description(self) -> str:
        """Description of the problem."""
        if self.how == "unread":
            return f"{self.where} cannot be searched for copies: {self.why}"
        verbs = {"near twin": "is a near twin", "hidden copy": "hides a near copy"}
        verbs |= {"compiled copy": "holds a compiled copy", "text": "holds the text"}
        verb = "holds the text" if self.verbatim and self.how == "near twin" else verbs[self.how]
        return f"{self.where} {verb} of {self.place.function} ({self.alike:.0%})"


@dataclass(frozen=True)
class _MaskedFunction:
    """A masked function, and the text by which copies are recognized."""

    defined: DefinedFunction
    lines: list[_Line]
    squeezed_body: str
    """The body without spaces and comments; empty if it is so short that it may occur by chance."""
    signature: Signature | None


def find_twins(
    places: Iterable[FunctionPlace],
    files: Mapping[str, bytes],
    environment: Path | None = None,
    packages: Collection[str] | None = None,
) -> list[Twin]:
    """Find near twins of these functions, and their text elsewhere in the tree and in the environment.

    `packages` are the packages of the environment that a task has; None for all of them.
    It searches archives, compressed and encoded data; an unreadable file counts as a twin of every function.
    """
    definitions = list(all_definitions({path: data for path, data in files.items() if path.endswith(".py")}))
    by_place = {definition.place: definition for definition in definitions}
    masked = [by_place[place] for place in places]
    twins = [twin for function in masked for twin in near_twins(function, definitions)]
    functions = [
        _MaskedFunction(
            function,
            _distinctive_lines(function, files),
            _squeezed_body(function, files),
            _signature(function),
        )
        for function in masked
    ]
    for path, data in files.items():
        known_places = {twin.place for twin in twins if twin.where.startswith(f"{path}::")}
        remaining = [function for function in functions if function.defined.place not in known_places]
        twins += _in_file(path, data, remaining, definitions)
    for name, file in _environment_files(environment, packages):
        twins += _in_file(name, file.read_bytes(), functions, ())
    return twins


def _environment_files(environment: Path | None, packages: Collection[str] | None) -> list[tuple[str, Path]]:
    paths = sorted(environment.glob("lib/python*/site-packages/**/*")) if environment else []
    if environment and packages is not None:
        folders = [str(folder) for folder in environment.glob("lib/python*/site-packages")]
        own_files = {
            Path(str(file.locate()))
            for distribution in distributions(path=folders)
            if canonicalize_name(distribution.metadata["Name"]) in packages
            for file in distribution.files or ()
        }
        paths = [path for path in paths if path in own_files]
    plain_files = [path for path in paths if _ENVIRONMENT.search(path.name) and not path.is_symlink()]
    return [
        ("/".join(path.parts[path.parts.index("site-packages") :]), path)
        for path in plain_files
        if path.is_file()
    ]


def _in_file(
    path: str, data: bytes, functions: Sequence[_MaskedFunction], definitions: Iterable[DefinedFunction]
) -> list[Twin]:
    """Return one twin for each function that a file, or a part inside it, reveals."""
    own_functions = [function for function in functions if function.defined.place.file == path]
    other_functions = [function for function in functions if function.defined.place.file != path]
    twins = []
    for function in own_functions:
        prose, code_parts = remaining_parts(data, function.defined.place)
        own_twins = _in_layers(path, prose, [function], definitions, is_own_file=True)
        twins += own_twins or _in_own_code(path, code_parts, function)
    return twins + _in_layers(path, data, other_functions, definitions)


def _in_layers(
    path: str,
    data: bytes,
    functions: Sequence[_MaskedFunction],
    definitions: Iterable[DefinedFunction],
    is_own_file: bool = False,
) -> list[Twin]:
    twins: list[Twin] = []
    for layer in layers(path, data) if functions else ():
        known_places = {twin.place for twin in twins}
        remaining = [function for function in functions if function.defined.place not in known_places]
        if isinstance(layer, UnreadPart):
            twins += [
                Twin(function.defined.place, layer.where, 0.0, True, "unread", layer.why)
                for function in remaining
            ]
        elif is_own_file:
            twins += _containing(layer, remaining)
        elif layer.depth == 0 and path.endswith(".py"):
            twins += _copies(layer, remaining, definitions)
        else:
            twins += _hidden(layer, remaining)
    return twins


def _in_own_code(path: str, parts: Sequence[str], function: _MaskedFunction) -> list[Twin]:
    """Return a twin if one part of a function's own file has almost all lines of its body.

    Functions of one file often share lines, so fewer lines than elsewhere say nothing.
    """
    lines = [_own_line(statement) for statement in _body(function.defined).splitlines()]
    lines = [line for line in lines if len(line) >= MIN_LINE_LENGTH]
    if len(lines) < MIN_OWN_LINES:
        return []
    shares = [sum(line in squeezed for line in lines) / len(lines) for squeezed in map(_squeeze, parts)]
    share = max(shares, default=0.0)
    if share < MIN_OWN_SHARE:
        return []
    return [Twin(function.defined.place, path, round(share, 3), verbatim=True)]


def _own_line(line: str) -> str:
    """A line without spaces; a copy outside a function has another word in place of `return`."""
    return _squeeze(re.sub(r"^\s*return\b", "", line))


def _signature(defined: DefinedFunction) -> Signature | None:
    try:
        return signature_of(defined.node)
    except (SyntaxError, ValueError):
        # A function that uses names of an enclosing function cannot be compiled alone.
        return None


def _copies(
    layer: Layer, masked_functions: Sequence[_MaskedFunction], definitions: Iterable[DefinedFunction]
) -> list[Twin]:
    """Return the functions of a file that contain the text, else the file."""
    file_twins = _containing(layer, masked_functions) or _compiled(layer, masked_functions)
    file_functions = (
        [definition for definition in definitions if definition.place.file == layer.where]
        if file_twins
        else []
    )
    text = layer.data.decode(errors="replace") if file_functions else ""
    inner = [
        (str(definition.place), ast.get_source_segment(text, definition.node) or "")
        for definition in file_functions
    ]
    return [
        twin
        for part_name, part in inner
        for twin in _containing(Layer(part_name, part.encode()), masked_functions)
    ] or file_twins


def _hidden(layer: Layer, functions: Sequence[_MaskedFunction]) -> list[Twin]:
    """Return the functions that a part of an archive or of encoded data reveals, by text or near twin."""
    twins = _containing(layer, functions) or _compiled(layer, functions)
    definitions = list(_functions_in(layer))
    known_places = {twin.place for twin in twins}
    for function in functions:
        if function.defined.place not in known_places:
            copies = near_twins(function.defined, definitions)[:1]
            twins += [replace(twin, where=layer.where, verbatim=True, how="hidden copy") for twin in copies]
    return twins


def _functions_in(layer: Layer) -> Iterator[DefinedFunction]:
    """Yield the functions of a source, or of the code blocks in a document."""
    if b"def" not in layer.data or len(layer.data) > MAX_SOURCE_BYTES:
        return
    parsed = list(all_definitions({layer.where: layer.data}))
    yield from parsed
    for text in layer.texts if not parsed else ():
        for block in _FUNCTION.finditer(text):
            yield from all_definitions({layer.where: textwrap.dedent(block.group()).encode()})


def _compiled(layer: Layer, functions: Sequence[_MaskedFunction]) -> list[Twin]:
    if not layer.is_binary:
        return []
    return [
        Twin(function.defined.place, layer.where, 1.0, True, "compiled copy")
        for function in functions
        if function.signature is not None and function.signature.in_binary(layer.data)
    ]


def near_twins(masked: DefinedFunction, definitions: Iterable[DefinedFunction]) -> list[Twin]:
    """Return the functions whose body is almost the same, without regard to local names."""
    tokens = _tokens(masked)
    if len(tokens) < MIN_TOKENS:
        return []
    matcher: SequenceMatcher[str] = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(tokens)
    twins = []
    for candidate in definitions:
        if _overlap(masked.place, candidate.place):
            continue
        other_tokens = _tokens(candidate)
        if not 0.6 * len(tokens) < len(other_tokens) < 1.7 * len(tokens):
            continue
        matcher.set_seq1(other_tokens)
        if matcher.real_quick_ratio() <= MIN_SIMILARITY or matcher.quick_ratio() <= MIN_SIMILARITY:
            continue
        ratio = matcher.ratio()
        if ratio > MIN_SIMILARITY:
            is_same = _body(masked) == _body(candidate)
            twins.append(Twin(masked.place, str(candidate.place), round(ratio, 3), is_same, "near twin"))
    return twins


def _overlap(first: FunctionPlace, second: FunctionPlace) -> bool:
    """True if two functions are the same, or one is inside the other and masked with it."""
    names = f"{first.function}.", f"{second.function}."
    return first.file == second.file and (names[0].startswith(names[1]) or names[1].startswith(names[0]))


def _body(defined: DefinedFunction) -> str:
    statements = defined.node.body
    if ast.get_docstring(defined.node, clean=False) is not None:
        statements = statements[1:]
    return "\n".join(ast.unparse(statement) for statement in statements)


@lru_cache(maxsize=20_000)
def _tokens(defined: DefinedFunction) -> list[str]:
    """Return the body's tokens in normal form, with every local name replaced by the same word."""
    local_names = {node.arg for node in ast.walk(defined.node) if isinstance(node, ast.arg)}
    local_names |= {
        node.id
        for node in ast.walk(defined.node)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    words = []
    for token in tokenize.generate_tokens(io.StringIO(_body(defined)).readline):
        if token.string.strip():
            words.append("name" if token.string in local_names else token.string)
    return words


@dataclass(frozen=True)
class _Line:
    squeezed: str
    """The line without spaces, with equal quotes."""
    word: str
    """Its longest word: a text without this word cannot contain the line, and the test is cheap."""


def _body_lines(defined: DefinedFunction, files: Mapping[str, bytes]) -> list[str]:
    first = defined.node.body[0]
    start = (first.end_lineno if ast.get_docstring(defined.node) is not None else first.lineno - 1) or 0
    return files[defined.place.file].decode(errors="replace").splitlines()[start : defined.node.end_lineno]


def _squeezed_body(defined: DefinedFunction, files: Mapping[str, bytes]) -> str:
    lines = [line.partition("  #")[0] for line in _body_lines(defined, files)]
    squeezed = "".join(_squeeze(line) for line in lines if not line.lstrip().startswith("#"))
    return squeezed if len(squeezed) >= MIN_BODY_LENGTH else ""


def _distinctive_lines(defined: DefinedFunction, files: Mapping[str, bytes]) -> list[_Line]:
    """Return the body's lines that are too long to occur by chance."""
    body_lines = _body_lines(defined, files)
    lines = [(_squeeze(line.partition("  #")[0]), _WORD.findall(line)) for line in body_lines]
    distinctive = [
        _Line(line, max(words, key=len)) for line, words in lines if words and len(line) >= MIN_LINE_LENGTH
    ]
    return distinctive if sum(len(line.squeezed) for line in distinctive) >= 2 * MIN_LINE_LENGTH else []


def _squeeze(text: str) -> str:
    return _SPACE.sub("", text).replace('"', "'")


def _containing(layer: Layer, functions: Sequence[_MaskedFunction]) -> list[Twin]:
    """Return a twin for each function most of whose distinctive lines are in the text."""
    words = {line.word for function in functions for line in function.lines}
    words |= {
        max(_WORD.findall(function.squeezed_body), key=len)
        for function in functions
        if function.squeezed_body and not function.lines
    }
    shares: dict[FunctionPlace, float] = {}
    for text in layer.texts if words else ():
        if not any(word in text for word in words):
            continue
        squeezed = _squeeze(text)
        for function in functions:
            share_found = sum(line.squeezed in squeezed for line in function.lines) / (
                len(function.lines) or 1
            )
            if function.squeezed_body and function.squeezed_body in squeezed:
                share_found = 1.0
            shares[function.defined.place] = max(share_found, shares.get(function.defined.place, 0.0))
    return [
        Twin(place, layer.where, round(share, 3), True)
        for place, share in shares.items()
        if share >= MIN_LINE_SHARE
    ]


def documents(twins: Iterable[Twin], files: Mapping[str, bytes]) -> set[str]:
    """Return files that reveal bodies or cannot be searched, and can be omitted because they are no code."""
    paths = {twin.where.partition("!")[0] for twin in twins if twin.verbatim}
    return {path for path in paths if path in files and not path.endswith((".py", ".toml"))}
