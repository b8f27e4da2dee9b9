"""Finds copies of masked functions in the Python code of other programs on this machine.

All files are read, but only those are searched that can have a copy: half of a body's long lines, or a
function of the same name and most of the names that a near twin shares. Archives are searched too.

What it does not cover: files larger than the limits, near twins of another name, and what no search finds.
"""

from __future__ import annotations

import ast
import lzma
import re
import tarfile
import time
import zipfile
import zlib
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.masking.leaks.body_text import SearchedText
from assay.masking.leaks.near_twins import Twin, statements
from assay.masking.leaks.sources import FunctionPlace, all_definitions
from assay.masking.leaks.twins import (
    SearchedFunction,
    compiled_twins,
    named_alike,
    read_masked,
    twins_outside,
)
from assay.masking.leaks.written_functions import MAX_SOURCE_BYTES

MAX_FILES = 20_000
MAX_ARCHIVE_BYTES = 256 * 1024 * 1024
MIN_LINE_SHARE = 0.5
MIN_NAME_SHARE = 0.7
"""A file with fewer of the names of a body is not searched for a near twin."""
_WORD = re.compile(r"\w+")
_PYTHON = (".py", ".pyx", ".pyc")
_UNREADABLE = (
    *(OSError, EOFError, ValueError, RuntimeError, NotImplementedError),
    *(zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error),
)


@dataclass(frozen=True)
class SearchRequest:
    """Functions of one repository, of which copies are searched."""

    places: Collection[FunctionPlace]
    files: Mapping[str, bytes]


@dataclass
class SystemSearch:
    """What a search of the system found, and how much it read."""

    copies: dict[str, list[Twin]] = field(default_factory=dict)
    """File -> the functions that it reveals."""
    files: int = 0
    unread: int = 0
    """Files beyond the limit, and archives that are broken or too large."""
    seconds: float = 0.0


@dataclass(frozen=True)
class _Searched:
    """A masked function with the parts that a file with a copy of it has."""

    function: SearchedFunction
    name: str
    names: frozenset[str]
    """Names that are not those of local variables: a near twin has them too."""

    def may_have_twin(self, words: Collection[str]) -> bool:
        """True if a file with these words has the function's name, and enough names of its body."""
        return self.name in words and _has_share(self.names, words, MIN_NAME_SHARE)

    def may_be_in(self, text: SearchedText, words: Collection[str]) -> bool:
        """True if a file has enough lines of the function."""
        body = self.function.text
        if not _has_share(body.words, words, MIN_LINE_SHARE):
            return False
        if body.long_lines and _has_share(body.long_lines, text.squeezed, MIN_LINE_SHARE):
            return True
        return any(whole in text.squeezed for whole in body.whole_texts)


def search_system(requests: Sequence[SearchRequest], sources: Sequence[str]) -> list[SystemSearch]:
    """Search sources, compiled files and archives for copies, once for all requests."""
    begun = time.monotonic()
    searches = [SystemSearch() for _ in requests]
    searched = [list(_searched(request)) for request in requests]
    read = unread = 0
    for number, source in enumerate(sources, 1):
        try:
            for name, data in _parts(source):
                read += 1
                text = SearchedText("" if name.endswith(".pyc") else data.decode(errors="replace"))
                words = frozenset(_WORD.findall(text.text))
                for search, functions in zip(searches, searched, strict=True):
                    if twins := _twins(name, data, text, words, functions):
                        search.copies.setdefault(source, []).extend(twins)
        except _UNREADABLE:
            unread += 1
        if read > MAX_FILES:
            unread += len(sources) - number
            break
    for search in searches:
        search.files, search.unread, search.seconds = read, unread, time.monotonic() - begun
    return searches


def _twins(
    name: str, data: bytes, text: SearchedText, words: Collection[str], functions: Sequence[_Searched]
) -> list[Twin]:
    if name.endswith(".pyc"):
        return compiled_twins(name, data, [searched.function for searched in functions])
    possible = [searched.function for searched in functions if searched.may_be_in(text, words)]
    twins = twins_outside(name, data, possible) if possible else []
    named = [searched.function for searched in functions if searched.may_have_twin(words)]
    return [*twins, *named_alike(name, data, [function for function in named if function not in possible])]


def _searched(request: SearchRequest) -> Iterator[_Searched]:
    paths = {place.file for place in request.places}
    sources = {path: data for path, data in request.files.items() if path in paths}
    for defined in all_definitions(sources):
        if defined.place in request.places:
            name = defined.place.function.rpartition(".")[2]
            names = frozenset(_outer_names(statements(defined)))
            yield _Searched(read_masked(defined, request.files), name, names)


def _outer_names(body: Sequence[ast.stmt]) -> Iterator[str]:
    nodes = [node for statement in body for node in ast.walk(statement)]
    names = [node for node in nodes if isinstance(node, ast.Name)]
    local_names = {name.id for name in names if isinstance(name.ctx, ast.Store)}
    yield from (name.id for name in names if name.id not in local_names)
    yield from (node.attr for node in nodes if isinstance(node, ast.Attribute))


def _has_share(parts: Collection[str], container: Container[str], share: float) -> bool:
    """True if a text or a set has this share of the parts; it stops at the first part too many."""
    may_miss = int(len(parts) * (1 - share))
    for part in parts:
        if part not in container:
            may_miss -= 1
            if may_miss < 0:
                return False
    return True


def _parts(source: str) -> Iterator[tuple[str, bytes]]:
    """Yield a file, or the Python files of an archive, with their names."""
    if source.endswith(_PYTHON) or "." not in Path(source).name:
        if Path(source).stat().st_size <= MAX_SOURCE_BYTES:
            yield source, Path(source).read_bytes()
    elif zipfile.is_zipfile(source):
        with zipfile.ZipFile(source) as archive:
            for member in archive.infolist():
                if member.filename.endswith(_PYTHON) and member.file_size <= MAX_SOURCE_BYTES:
                    yield f"{source}!{member.filename}", archive.read(member)
    else:
        yield from _tar_parts(source)


def _tar_parts(source: str) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(source) as archive:
        for member in archive:
            if archive.offset > MAX_ARCHIVE_BYTES:
                raise ValueError(f"{source} is too large")
            if member.isfile() and member.name.endswith(_PYTHON) and member.size <= MAX_SOURCE_BYTES:
                content = archive.extractfile(member)
                yield f"{source}!{member.name}", content.read() if content else b""
