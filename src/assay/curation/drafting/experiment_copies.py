"""Finds what a file holds of the removed experiment, in any form: plain, packed or encoded.

The forms are those of `assay.masking.leaks.hidden`, which `assay mask` searches too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from assay.curation.drafting.result_numbers import ResultSearch
from assay.curation.drafting.stored_outputs import is_stored_output
from assay.grading.execution_trace import parse
from assay.masking.leaks.body_text import MIN_LINE_LENGTH, MIN_LINE_SHARE, squeeze
from assay.masking.leaks.hidden import UnreadPart, layers
from assay.masking.leaks.sources import FunctionPlace, all_definitions
from assay.masking.leaks.twins import find_twins

MOST_SEARCHED = 4_000_000
"""Bytes of one text that are searched for numbers; a longer text is data."""
_LEAST_SCRIPT_LINES = 4
"""Long lines of an experiment from which a copy of it can be told."""


def script_lines(files: Mapping[str, bytes], scripts: Collection[str]) -> dict[str, frozenset[str]]:
    """Return the long lines of each script, without spaces; a script with few of them is left out."""
    lines_of_scripts = {}
    for script in sorted(scripts):
        lines = {squeeze(line) for line in files.get(script, b"").decode(errors="replace").split("\n")}
        long_lines = frozenset(line for line in lines if len(line) >= MIN_LINE_LENGTH)
        if len(long_lines) >= _LEAST_SCRIPT_LINES:
            lines_of_scripts[script] = long_lines
    return lines_of_scripts


def find_copy(
    path: str,
    data: bytes,
    is_opened: bool,
    lines_of_scripts: Mapping[str, frozenset[str]],
    search: ResultSearch,
) -> str:
    """Return what a file holds of the experiment, as the end of a sentence about it; empty if nothing.

    Results in the plain text of the file are not searched here.
    """
    plain = data.decode(errors="replace")
    for where, text in _texts(path, data):
        if text is None:
            return f"cannot be searched: {where}"
        inside = f", in {where.removeprefix(path)[1:]}" if where != path else ""
        squeezed = squeeze(text) if lines_of_scripts else ""
        for script, lines in lines_of_scripts.items():
            share = sum(line in squeezed for line in lines) / len(lines)
            if share >= MIN_LINE_SHARE:
                return f"has {share:.0%} of the lines of {script}{inside}"
        if text == plain or len(text) > MOST_SEARCHED:
            continue
        if not is_opened and is_stored_output(text.split("\n"), search.printed):
            return f"has mostly what the run prints{inside}"
        if search.has_several(text):
            return f"has several results{inside or ' in another encoding'}"
    return ""


def _texts(path: str, data: bytes) -> Iterator[tuple[str, str | None]]:
    """Yield every text that a file holds with its place, or why a part cannot be opened, without a text."""
    for layer in layers(path, data):
        if isinstance(layer, UnreadPart):
            yield layer.why, None
        else:
            yield from ((layer.where, text) for text in layer.texts)


def find_function_copies(
    files: Mapping[str, bytes], scripts: Collection[str], kept_files: Mapping[str, bytes]
) -> dict[str, tuple[str, bool]]:
    """Return the kept files with a near copy of a function of the experiment.

    Each has the end of a sentence about it, and whether the copy is code that can run.
    """
    searched = {**{path: files[path] for path in scripts if path in files}, **kept_files}
    places = [
        definition.place
        for definition in all_definitions(
            {path: searched[path] for path in scripts if path in searched and path.endswith(".py")}
        )
    ]
    long_functions = _worth_searching(places, searched)
    copies: dict[str, tuple[str, bool]] = {}
    for twin in find_twins(long_functions, searched) if long_functions else []:
        path = re.split("::|!", twin.where)[0]
        if path in kept_files and twin.how != "unread":
            is_code = path.endswith(".py") and "!" not in twin.where and twin.how in ("near twin", "text")
            reason = f"has a copy of {twin.place.function} ({twin.alike:.0%})"
            copies[path] = (reason, is_code and copies.get(path, ("", True))[1])
    return copies


def _worth_searching(places: Sequence[FunctionPlace], sources: Mapping[str, bytes]) -> list[FunctionPlace]:
    """The functions with at least five statements: a shorter one is found everywhere."""
    long_functions = []
    for place in places:
        tree = parse(sources[place.file].decode(errors="replace"))
        name = place.function.rpartition(".")[2]
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.FunctionDef) and node.name == name:
                if sum(isinstance(child, ast.stmt) for child in ast.walk(node)) > 5:
                    long_functions.append(place)
                break
    return long_functions
