"""Expands what a task folder writes in short: shared files, copies of other parts, broken patches.

This happens before anything is hashed: a task with shared files and patches has the digest of the same task
with every file written out, and `save_task` writes every file out.

What it does not cover: a shared file that changes between two reads, and hard links.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.errors import TaskError
from assay.tasks.files import below, check_path, folders_of, read_plain
from assay.tasks.patches import apply_patch

SHARED = "_shared"
"""The folder beside task folders in which files that several tasks include are kept."""
PATCH = ".patch"
VARIANT_KINDS = ("broken", "honest", "valid")
"""Folders of variants, each of which can be a patch."""
COPIED_PARTS = ("solution", "environment")
"""Parts of a task that `tests/` can have copies of."""
MOST_SHARED = 16 << 20
"""Bytes of one shared file."""


def read_shared(folder: Path, include: Sequence[str], parts: Sequence[str]) -> dict[str, bytes]:
    """Path inside the task → contents, for each `../_shared/PATH` that a task includes."""
    suite = folder.resolve().parent
    files: dict[str, bytes] = {}
    for entry in include:
        path = _inner_path(entry, parts)
        if path in files:
            raise TaskError(_PLACE, f"{entry!r} is there twice")
        for above in [SHARED, *[f"{SHARED}/{part}" for part in folders_of(path)]]:
            if (suite / above).is_symlink():
                raise TaskError(
                    _PLACE, f"{entry!r}: {above} is a link, expected a folder", hint="copy the folder there"
                )
        files[path] = read_plain(suite / SHARED / path, f"../{SHARED}/{path}", MOST_SHARED)
    return files


def copy_parts(parts: Mapping[str, Mapping[str, bytes]], copies: Mapping[str, str]) -> dict[str, bytes]:
    """The files of `tests/`, with those of other parts that grading uses too, at their places there."""
    copied = dict(parts["tests"])
    for place, source in copies.items():
        path = _below(place, ["tests"])
        original = _below(source, COPIED_PARTS)
        files_there = parts[source.partition("/")[0]]
        if path in copied or below(copied, path) or any(above in copied for above in folders_of(path)):
            raise TaskError(_COPIES, f"{place} is in the task's folder too", hint="remove one of the two")
        if original in files_there:
            copied[path] = files_there[original]
            continue
        files = below(files_there, original)
        if not files:
            raise TaskError(
                _COPIES, f"{source} is missing", hint=f"name a file or folder of {_either(COPIED_PARTS)}"
            )
        copied.update({f"{path}/{name}": data for name, data in files.items()})
    return copied


def _below(place: str, parts: Sequence[str]) -> str:
    """The path inside one of these parts of the task, such as `known` for `tests/known`."""
    try:
        part, _, path = check_path(place).partition("/")
    except ValueError as error:
        raise TaskError(_COPIES, str(error), hint=f"name a path below {_either(parts)}") from None
    if part not in parts or not path:
        problem = f"{place!r} is not below {_either(parts)}"
        raise TaskError(_COPIES, problem, hint=f"name a path below {_either(parts)}")
    return path


def _either(parts: Sequence[str]) -> str:
    return " or ".join(f"{part}/" for part in parts)


def expand_patches(tests: Mapping[str, bytes], base: Mapping[str, bytes], place: str) -> dict[str, bytes]:
    """The files, with a folder `broken/NAME/…` in place of each `broken/NAME.patch`, applied to the base.

    Honest and valid variants can be patches too. `place` names the folder in errors.
    """
    expanded = dict(tests)
    for kind in VARIANT_KINDS:
        for name, patch in below(tests, kind).items():
            if "/" in name or not name.endswith(PATCH):
                continue
            path, variant = f"{kind}/{name}", name.removesuffix(PATCH)
            if not variant:
                raise TaskError(f"{place}/{path}", "has no name", hint=f"name it VARIANT{PATCH}")
            if below(tests, f"{kind}/{variant}"):
                raise TaskError(
                    f"{place}/{path}",
                    f"stands beside the folder {variant}/, and only one of the two can be the variant",
                    hint="remove one of them",
                )
            files = apply_patch(patch, base, f"{place}/{path}")
            del expanded[path]
            expanded.update({f"{kind}/{variant}/{inner}": data for inner, data in files.items()})
    return expanded


_PLACE = "task.toml [metadata.assay.include]"
_COPIES = "task.toml [metadata.assay.copies]"


def _inner_path(entry: str, parts: Sequence[str]) -> str:
    """The path inside the task of one entry of `include`."""
    prefix = f"../{SHARED}/"
    try:
        path = check_path(entry.removeprefix(prefix))
    except ValueError:
        path = ""
    if not entry.startswith(prefix) or path.partition("/")[0] not in parts:
        expected = ", ".join(f"{prefix}{part}/…" for part in parts)
        raise TaskError(
            _PLACE,
            f"{entry!r} is no shared file, expected {expected}",
            hint=f"put the file into {SHARED}/ beside the task's folder, at the path it has in the task",
        )
    return path
