"""A repository without what gives its masked functions away: telling comments, idle twins, documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.errors import MaskError
from assay.masking.engine import Masked, mask, scrub
from assay.masking.leaks.sources import Place
from assay.masking.leaks.twins import documents, find_twins


def scrub_repository(
    files: Mapping[str, bytes], places: Sequence[Place], executed: set[str]
) -> tuple[dict[str, bytes], list[str]]:
    """The files to make tasks from, and what was taken out of them.

    Comments and docstrings that repeat a body or stand at its calls go; near twins that the run does not
    execute are emptied; documents and notebooks that hold a body are left out. Executed twins stay.
    """
    kept = dict(files)
    taken: list[str] = []
    twins = find_twins(places, files)
    for path in sorted(documents(twins, files)):
        del kept[path]
        taken.append(f"{path}: left out, it holds a masked body or cannot be searched for one")
    masked = {str(place) for place in places}
    for name in sorted({each.where for each in twins if "::" in each.where and "!" not in each.where}):
        if name not in executed and name not in masked:
            path, _, function = name.partition("::")
            kept[path] = mask(kept[path], [function]).source
            taken.append(f"{name}: emptied, a near twin that the run does not execute")
    bodies: dict[str, str] = {}
    stubbed: dict[str, Masked] = {}
    for path in sorted({place.file for place in places}):
        stubbed[path] = mask(kept[path], [place.function for place in places if place.file == path])
        bodies |= stubbed[path].bodies()
    for path in [path for path in kept if path.endswith(".py")]:
        try:
            kept[path], count = _scrubbed(kept[path], bodies, stubbed.get(path))
        except MaskError:
            continue
        if count:
            taken.append(f"{path}: {count} comments or docstrings removed")
    return kept, taken


def _scrubbed(source: bytes, bodies: Mapping[str, str], stubbed: Masked | None) -> tuple[bytes, int]:
    """Scrub around the stubs, so that a function's own words stay, and put the bodies back."""
    if stubbed is None:
        plain = scrub(source, bodies)
        return plain.source, len(plain.removed)
    cleaned = scrub(stubbed.source, bodies)
    result = bytearray(cleaned.source)
    shift = sum(len(each.inserted) - len(each.removed) for each in stubbed.removed)
    for piece in reversed(stubbed.removed):
        shift -= len(piece.inserted) - len(piece.removed)
        at = piece.start + shift
        at += sum(len(each.inserted) - len(each.removed) for each in cleaned.removed if each.start < at)
        result[at : at + len(piece.inserted)] = piece.removed
    return bytes(result), len(cleaned.removed)
