"""Removes text that reveals masked functions: comments, unused near copies, documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.errors import MaskError
from assay.masking.engine import MaskedSource, mask, scrub
from assay.masking.leaks.sources import FunctionPlace
from assay.masking.leaks.twins import documents, find_twins


def scrub_repository(
    files: Mapping[str, bytes], places: Sequence[FunctionPlace], executed: set[str]
) -> tuple[dict[str, bytes], list[str]]:
    """Return the files for the tasks, and a list of removals.

    It removes comments and docstrings that repeat a body or are beside its calls, empties near twins that the
    run does not execute, and omits documents and notebooks that contain a body. Executed twins stay.
    """
    kept_files = dict(files)
    removals: list[str] = []
    twins = find_twins(places, files)
    for path in sorted(documents(twins, files)):
        del kept_files[path]
        removals.append(f"{path}: left out, it holds a masked body or cannot be searched for one")
    masked = {str(place) for place in places}
    for name in sorted(
        {near_twin.where for near_twin in twins if "::" in near_twin.where and "!" not in near_twin.where}
    ):
        if name not in executed and name not in masked:
            path, _, function = name.partition("::")
            kept_files[path] = mask(kept_files[path], [function]).source
            removals.append(f"{name}: emptied, a near twin that the run does not execute")
    bodies: dict[str, str] = {}
    stubbed: dict[str, MaskedSource] = {}
    for path in sorted({place.file for place in places}):
        stubbed[path] = mask(kept_files[path], [place.function for place in places if place.file == path])
        bodies |= stubbed[path].bodies()
    for path in [path for path in kept_files if path.endswith(".py")]:
        try:
            kept_files[path], count = _scrub_source(kept_files[path], bodies, stubbed.get(path))
        except MaskError:
            continue
        if count:
            removals.append(f"{path}: {count} comments or docstrings removed")
    return kept_files, removals


def _scrub_source(
    source: bytes, bodies: Mapping[str, str], stubbed: MaskedSource | None
) -> tuple[bytes, int]:
    """Scrub around the stubs, so that a function's own text stays, and insert the bodies again."""
    if stubbed is None:
        plain = scrub(source, bodies)
        return plain.source, len(plain.removed)
    cleaned = scrub(stubbed.source, bodies)
    result = bytearray(cleaned.source)
    shift = sum(len(removed_piece.inserted) - len(removed_piece.removed) for removed_piece in stubbed.removed)
    for piece in reversed(stubbed.removed):
        shift -= len(piece.inserted) - len(piece.removed)
        offset = piece.start + shift
        offset += sum(
            len(scrubbed_piece.inserted) - len(scrubbed_piece.removed)
            for scrubbed_piece in cleaned.removed
            if scrubbed_piece.start < offset
        )
        result[offset : offset + len(piece.inserted)] = piece.removed
    return bytes(result), len(cleaned.removed)
