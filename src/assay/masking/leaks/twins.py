"""Finds copies of a masked body: near twins among functions, and its text in any other file."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import distributions
from pathlib import Path

from packaging.utils import canonicalize_name

from assay.errors import Unparsable
from assay.masking.engine.parsing import parse, read
from assay.masking.leaks.body_text import BodyText, SearchedText, read_body_text
from assay.masking.leaks.expressions import find_expressions, is_one_return, twins_among
from assay.masking.leaks.hidden import Layer, Signature, UnreadPart, layers, signature_of
from assay.masking.leaks.near_twins import Twin, count_tokens, near_twins
from assay.masking.leaks.own_file import remaining_parts
from assay.masking.leaks.sources import DefinedFunction, FunctionPlace, all_definitions
from assay.masking.leaks.written_functions import MAX_SOURCE_BYTES, functions_beside_code, functions_in

_ENVIRONMENT = re.compile(r"\.(py|pyi|zip|whl|egg|tar|gz|tgz|bz2|xz|ipynb|txt|md|rst|html)$")
"""Files of an environment that can contain a copy; its libraries are large and contain no task code."""


@dataclass(frozen=True)
class SearchedFunction:
    """A masked function, and the text by which copies are recognized."""

    defined: DefinedFunction
    text: BodyText
    signature: Signature | None


def find_twins(
    places: Iterable[FunctionPlace],
    files: Mapping[str, bytes],
    environment: Path | None = None,
    packages: Collection[str] | None = None,
) -> list[Twin]:
    """Find near twins of these functions, and their text elsewhere in the tree and in the environment.

    `packages` are the packages of the environment that a task has; None for all of them. What else of the
    system a sandbox shows is searched by `system_copies`.
    It searches archives, compressed and encoded data; an unreadable file counts as a twin of every function.
    """
    definitions = list(all_definitions({path: data for path, data in files.items() if path.endswith(".py")}))
    by_place = {definition.place: definition for definition in definitions}
    masked = [by_place[place] for place in places]
    twins = [twin for function in masked for twin in near_twins(function, definitions)]
    functions = [read_masked(function, files) for function in masked]
    for path, data in files.items():
        known_places = {twin.place for twin in twins if twin.where.startswith(f"{path}::")}
        remaining = [function for function in functions if function.defined.place not in known_places]
        file_twins = _in_file(path, data, remaining, definitions)
        if path.endswith(".py"):
            file_twins += _in_expressions(path, data, _without_known(remaining, file_twins))
        twins += file_twins
    for name, file in _environment_files(environment, packages):
        twins += twins_outside(name, file.read_bytes(), functions)
    return twins


def read_masked(defined: DefinedFunction, files: Mapping[str, bytes]) -> SearchedFunction:
    """Return a function with the text by which its copies are recognized."""
    return SearchedFunction(defined, read_body_text(defined, files), _signature(defined))


def twins_outside(path: str, data: bytes, functions: Sequence[SearchedFunction]) -> list[Twin]:
    """Return what a file outside of the workspace shows: text, compiled code, near twins of the same name."""
    twins = _in_layers(path, data, functions, None)
    return twins + named_alike(path, data, _without_known(functions, twins))


def named_alike(path: str, data: bytes, functions: Sequence[SearchedFunction]) -> list[Twin]:
    """Return near twins in a source of the environment, among functions of the same name.

    To parse all packages of an environment takes minutes, so functions of other names are left out.
    """
    if not path.endswith(".py") or len(data) > MAX_SOURCE_BYTES:
        return []
    named = [
        function
        for function in functions
        if f"def {function.defined.place.function.rpartition('.')[2]}(".encode() in data
    ]
    definitions = list(all_definitions({path: data})) if named else []
    return [
        replace(twin, where=path, verbatim=True, how="hidden copy")
        for function in named
        for twin in near_twins(function.defined, definitions)[:1]
    ]


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
    path: str,
    data: bytes,
    functions: Sequence[SearchedFunction],
    definitions: Sequence[DefinedFunction] | None,
) -> list[Twin]:
    """Return one twin for each function that a file, or a part inside it, reveals.

    `definitions` are the functions of the repository; None for a file of the environment.
    """
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
    functions: Sequence[SearchedFunction],
    definitions: Sequence[DefinedFunction] | None,
    is_own_file: bool = False,
) -> list[Twin]:
    twins: list[Twin] = []
    for layer in layers(path, data) if functions else ():
        remaining = _without_known(functions, twins)
        if isinstance(layer, UnreadPart):
            twins += [
                Twin(function.defined.place, layer.where, 0.0, True, "unread", layer.why)
                for function in remaining
            ]
        elif is_own_file:
            twins += _with_near_copies(layer, remaining, _containing(layer, remaining), functions_in(layer))
        elif layer.depth == 0 and path.endswith(".py"):
            twins += _copies(layer, remaining, definitions)
        else:
            twins += _hidden(layer, remaining)
    return twins


def _in_own_code(path: str, parts: Sequence[str], function: SearchedFunction) -> list[Twin]:
    """Return a twin if one part of a function's own file has almost all of its body."""
    share = max((function.text.share_in_own_file(SearchedText(part)) for part in parts), default=0.0)
    return [Twin(function.defined.place, path, round(share, 3), verbatim=True)] if share else []


def _signature(defined: DefinedFunction) -> Signature | None:
    try:
        return signature_of(defined.node)
    except (SyntaxError, ValueError):
        # A function that uses names of an enclosing function cannot be compiled alone.
        return None


def _copies(
    layer: Layer,
    masked_functions: Sequence[SearchedFunction],
    definitions: Sequence[DefinedFunction] | None,
) -> list[Twin]:
    """Return the functions of a source that contain the text, else the source."""
    file_twins = _containing(layer, masked_functions) or _compiled(layer, masked_functions)
    file_functions = [definition for definition in definitions or () if definition.place.file == layer.where]
    text = layer.data.decode(errors="replace") if file_twins else ""
    inner = [
        (str(definition.place), ast.get_source_segment(text, definition.node) or "")
        for definition in file_functions
        if file_twins
    ]
    twins = [
        twin
        for part_name, part in inner
        for twin in _containing(Layer(part_name, part.encode()), masked_functions)
    ] or file_twins
    if definitions is None:
        return twins
    beside_code = functions_beside_code(layer, len(file_functions))
    return _with_near_copies(layer, masked_functions, twins, beside_code)


def _hidden(layer: Layer, functions: Sequence[SearchedFunction]) -> list[Twin]:
    """Return the functions that a part of an archive or of encoded data reveals, by text or near twin."""
    twins = _containing(layer, functions) or _compiled(layer, functions)
    twins = _with_near_copies(layer, functions, twins, functions_in(layer))
    if layer.where.endswith(".py") and len(layer.data) <= MAX_SOURCE_BYTES:
        expressions = _in_expressions(layer.where, layer.data, _without_known(functions, twins))
        twins += [_as_hidden(twin, layer) for twin in expressions]
    return twins


def _with_near_copies(
    layer: Layer,
    functions: Sequence[SearchedFunction],
    twins: Sequence[Twin],
    definitions: Iterable[DefinedFunction],
) -> list[Twin]:
    """Return the twins, and for each function without a twin the first definition that is a near twin."""
    remaining = _without_known(functions, twins)
    candidates = list(definitions) if remaining else []
    copies = [
        _as_hidden(twin, layer)
        for function in remaining
        for twin in near_twins(function.defined, candidates)
        if twin.alike >= _least_alike(function)
    ]
    return [*twins, *{copy.place: copy for copy in reversed(copies)}.values()]


MIN_HIDDEN_SIMILARITY, MIN_HIDDEN_TOKENS = 0.9, 60
"""A near copy outside code forbids a task, so it needs more than a near twin. Short functions look alike: a
shorter one is a copy only if it is the same, apart from the names of its variables."""


def _least_alike(function: SearchedFunction) -> float:
    return MIN_HIDDEN_SIMILARITY if count_tokens(function.defined) >= MIN_HIDDEN_TOKENS else 1.0


def _as_hidden(twin: Twin, layer: Layer) -> Twin:
    return replace(twin, where=layer.where, verbatim=True, how="hidden copy")


def _without_known(functions: Sequence[SearchedFunction], twins: Iterable[Twin]) -> list[SearchedFunction]:
    known_places = {twin.place for twin in twins}
    return [function for function in functions if function.defined.place not in known_places]


def _in_expressions(path: str, data: bytes, functions: Sequence[SearchedFunction]) -> list[Twin]:
    """Return the functions of one `return` whose value a lambda or another statement of a source computes."""
    returning = [function.defined for function in functions if is_one_return(function.defined)]
    try:
        expressions = find_expressions(path, parse(read(data))) if returning else []
    except Unparsable:
        return []
    return [twin for defined in returning for twin in twins_among(defined, path, expressions)]


def _compiled(layer: Layer, functions: Sequence[SearchedFunction]) -> list[Twin]:
    return compiled_twins(layer.where, layer.data, functions) if layer.is_binary else []


def compiled_twins(path: str, data: bytes, functions: Sequence[SearchedFunction]) -> list[Twin]:
    """Return the functions that a binary file contains in compiled form."""
    return [
        Twin(function.defined.place, path, 1.0, True, "compiled copy")
        for function in functions
        if function.signature is not None and function.signature.in_binary(data)
    ]


def _containing(layer: Layer, functions: Sequence[SearchedFunction]) -> list[Twin]:
    """Return a twin for each function of which the text has enough."""
    shares: dict[FunctionPlace, float] = {}
    for text in layer.texts:
        searched = SearchedText(text)
        for function in functions:
            place = function.defined.place
            if shares.get(place, 0.0) < 1.0:
                shares[place] = max(function.text.share_in(searched), shares.get(place, 0.0))
    return [Twin(place, layer.where, round(share, 3), True) for place, share in shares.items() if share]


def documents(twins: Iterable[Twin], files: Mapping[str, bytes]) -> set[str]:
    """Return files that reveal bodies or cannot be searched, and can be omitted because they are no code."""
    paths = {twin.where.partition("!")[0] for twin in twins if twin.verbatim}
    return {path for path in paths if path in files and not path.endswith((".py", ".toml"))}
