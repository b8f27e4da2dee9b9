"""Replaces functions of a source by stubs; every other byte stays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from assay.errors import MaskError
from assay.masking.engine import stub
from assay.masking.engine.extents import measure
from assay.masking.engine.functions import FoundDefinition, SourceDefinitions, read_definitions
from assay.masking.engine.masked_source import MaskedSource, Piece, replace_pieces
from assay.masking.engine.stub import Keep


def mask(
    source: bytes,
    names: Sequence[str],
    *,
    keep: Keep = "docstring",
    description: Mapping[str, str] | None = None,
    excerpt: Mapping[str, str] | None = None,
) -> MaskedSource:
    """Replace the bodies of the named functions by stubs that raise `NotImplementedError`.

    Decorators and signature stay, and with `keep="docstring"` the docstring. `description` and `excerpt`
    (of the paper) map names to text that appears as comments above the stub.
    """
    text, definitions = read_definitions(source)
    masked_definitions = choose_definitions(definitions, names)
    notes = _notes(names, {"Description": description or {}, "From the paper": excerpt or {}})
    pieces: list[Piece] = []
    for definition in masked_definitions:
        extent = measure(text, definition.node)
        pieces += stub.pieces(source, text, definition.name, extent, keep, notes[definition.name])
    return replace_pieces(source, pieces, text.encoding)


def mask_file(
    source: bytes, *, keep: Literal["nothing", "signatures", "docstrings"] = "nothing"
) -> MaskedSource:
    """Mask a whole file: empty it (any kind of file), or replace every outermost Python function."""
    if keep == "nothing":
        return replace_pieces(source, [Piece("", 0, source, b"")])
    outermost = [
        definition.name for definition in read_definitions(source)[1].definitions if definition.parent is None
    ]
    return mask(source, outermost, keep="signature" if keep == "signatures" else "docstring")


def choose_definitions(definitions: SourceDefinitions, names: Sequence[str]) -> list[FoundDefinition]:
    """Return the named definitions; raise for missing names, lambdas, and functions inside each other."""
    by_name = {definition.name: definition for definition in definitions.definitions}
    for name in names:
        if name not in by_name:
            raise _missing_function_error(name, definitions)
    masked_definitions = [by_name[name] for name in dict.fromkeys(names)]
    for definition in masked_definitions:
        enclosing = definition.parent
        while enclosing is not None:
            if enclosing.name in names:
                raise MaskError(
                    f"{definition.name} lies inside {enclosing.name}, which is also masked",
                    hint=f"choose one of the two: masking {enclosing.name} removes {definition.name} too",
                )
            enclosing = enclosing.parent
    return masked_definitions


def _missing_function_error(name: str, definitions: SourceDefinitions) -> MaskError:
    if name in definitions.lambdas:
        return MaskError(
            f"{name} is a lambda assigned to a name (line {definitions.lambdas[name]}): "
            "it has no body that a stub could replace",
            hint="choose a function that is written with def",
        )
    last = name.rpartition(".")[2]
    similar = [definition.name for definition in definitions.definitions if definition.node.name == last]
    names_text = (
        ", ".join(similar or [definition.name for definition in definitions.definitions][:8]) or "none"
    )
    return MaskError(
        f"no function is called {name!r} here",
        hint=f"{'functions of that last name' if similar else 'functions of this source'}: {names_text}",
    )


def _notes(
    names: Sequence[str], notes_by_label: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, str]]:
    for label, notes in notes_by_label.items():
        for name in notes:
            if name not in names:
                raise MaskError(
                    f"{label!r} is given for {name!r}, which is not masked",
                    hint=f"masked here: {', '.join(names)}",
                )
    return {
        name: {label: notes[name] for label, notes in notes_by_label.items() if notes.get(name, "").strip()}
        for name in names
    }
