"""Takes functions out of a source and leaves stubs, every other byte as it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from assay.errors import MaskError
from assay.masking.engine import stub
from assay.masking.engine.extents import measure
from assay.masking.engine.functions import Found, Survey, surveyed
from assay.masking.engine.masked_source import Masked, Piece, replace
from assay.masking.engine.stub import Keep


def mask(
    source: bytes,
    names: Sequence[str],
    *,
    keep: Keep = "docstring",
    description: Mapping[str, str] | None = None,
    excerpt: Mapping[str, str] | None = None,
) -> Masked:
    """Replace the bodies of the named functions by stubs that raise `NotImplementedError`.

    Decorators and signature stay, and with `keep="docstring"` the docstring. `description` and `excerpt`
    (of the paper) map names to text that is written as comments above the stub.
    """
    text, known = surveyed(source)
    chosen = choose(known, names)
    notes = _notes(names, {"Description": description or {}, "From the paper": excerpt or {}})
    pieces: list[Piece] = []
    for found in chosen:
        extent = measure(text, found.node)
        pieces += stub.pieces(source, text, found.name, extent, keep, notes[found.name])
    return replace(source, pieces, text.encoding)


def mask_file(source: bytes, *, keep: Literal["nothing", "signatures", "docstrings"] = "nothing") -> Masked:
    """Mask a whole file: empty it (a file of any kind), or stub every outermost function of Python."""
    if keep == "nothing":
        return replace(source, [Piece("", 0, source, b"")])
    outermost = [found.name for found in surveyed(source)[1].definitions if found.parent is None]
    return mask(source, outermost, keep="signature" if keep == "signatures" else "docstring")


def choose(surveyed: Survey, names: Sequence[str]) -> list[Found]:
    """The named definitions; refuses names that are not there, are lambdas, or lie one inside another."""
    known = {found.name: found for found in surveyed.definitions}
    for name in names:
        if name not in known:
            raise _missing(name, surveyed)
    chosen = [known[name] for name in dict.fromkeys(names)]
    for found in chosen:
        enclosing = found.parent
        while enclosing is not None:
            if enclosing.name in names:
                raise MaskError(
                    f"{found.name} lies inside {enclosing.name}, which is to be masked too",
                    hint=f"name one of the two: masking {enclosing.name} takes {found.name} out with it",
                )
            enclosing = enclosing.parent
    return chosen


def _missing(name: str, surveyed: Survey) -> MaskError:
    if name in surveyed.lambdas:
        return MaskError(
            f"{name} is a lambda assigned to a name (line {surveyed.lambdas[name]}): "
            "it has no body that a stub could replace",
            hint="choose a function that is written with def",
        )
    last = name.rpartition(".")[2]
    alike = [found.name for found in surveyed.definitions if found.node.name == last]
    listed = ", ".join(alike or [found.name for found in surveyed.definitions][:8]) or "none"
    return MaskError(
        f"no function is called {name!r} here",
        hint=f"{'functions of that last name' if alike else 'functions of this source'}: {listed}",
    )


def _notes(names: Sequence[str], given: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    for label, notes in given.items():
        for name in notes:
            if name not in names:
                raise MaskError(
                    f"{label!r} is given for {name!r}, which is not masked",
                    hint=f"masked here: {', '.join(names)}",
                )
    return {
        name: {label: notes[name] for label, notes in given.items() if notes.get(name, "").strip()}
        for name in names
    }
