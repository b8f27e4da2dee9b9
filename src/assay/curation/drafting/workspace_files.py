"""What the agent gets: the repository without the experiment, the paper, and files that show its numbers.

What it does not cover: a result in words, in a file that the run opens as a picture or in another form that
`assay.masking.leaks.hidden` does not read, and repositories of so many files that their opening is not seen.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from assay.curation.drafting.experiment_copies import (
    MOST_SEARCHED,
    find_copy,
    find_function_copies,
    script_lines,
)
from assay.curation.drafting.model import RemovedFile
from assay.curation.drafting.result_numbers import ResultRow, ResultSearch
from assay.curation.drafting.stored_outputs import is_stored_output, repeated_lines, with_whole_tables
from assay.curation.drafting.unread_results import unread_result_lines, without_lines
from assay.masking.source_files import is_source_or_prose
from assay.sandbox.confinement import MOST_FOLLOWED

_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".pdf", ".svg", ".eps", ".ps")
_PAPER = (".tex", ".bib", ".bbl", ".aux", ".log", ".out", ".blg", ".cls", ".sty", ".bst")
_LINE_CLEANED = (".md", ".rst", ".txt")
_UNREAD_DATA = "no source, settings or prose, and the run does not open it: it may have results in any form"


class _Cleaned(NamedTuple):
    """What becomes of one file: a reason to take it out, or lines of it, or a leak that stays."""

    reason: str = ""
    lines: Collection[int] = ()
    leak: str = ""


def given_files(
    files: Mapping[str, bytes],
    scripts: Collection[str],
    written: Collection[str],
    opened: Collection[str],
    rows: Sequence[ResultRow],
    values: Sequence[float],
    printed: Collection[str],
) -> tuple[dict[str, bytes], list[RemovedFile], list[str]]:
    """Return the agent's files, what was removed with the reason, and the leaks that stay."""
    search = ResultSearch(rows, values, printed)
    kept_files: dict[str, bytes] = {}
    removed: dict[str, RemovedFile] = {}
    leaks: dict[str, str] = {}
    for path, data in files.items():
        reason = _reason(path, scripts, written, opened)
        cleaned = _Cleaned(reason) if reason else _cleaned(path, data, path in opened, search, files)
        if cleaned.reason:
            lines = sorted(cleaned.lines)
            removed[path] = RemovedFile(path=path, reason=cleaned.reason, lines=lines)
        if not cleaned.reason or cleaned.lines:
            kept_files[path] = without_lines(data, cleaned.lines) if cleaned.lines else data
        if cleaned.leak:
            leaks[path] = cleaned.leak
    for path, finding in _copies(files, scripts, opened, kept_files, search).items():
        if path in opened:
            leaks.setdefault(path, f"{path}, which the run opens, {finding}")
        else:
            removed[path] = RemovedFile(path=path, reason=f"it {finding}")
            del kept_files[path]
    for path in _unread_data(files, opened) & kept_files.keys():
        removed[path] = RemovedFile(path=path, reason=_UNREAD_DATA)
        del kept_files[path]
    return kept_files, [entry for _, entry in sorted(removed.items())], list(leaks.values())


def _unread_data(files: Mapping[str, bytes], opened: Collection[str]) -> set[str]:
    """Return files that no run opens and nobody reads; none where the openings of files are not known."""
    if len(files) > MOST_FOLLOWED:
        return set()
    return {path for path in files if path not in opened and not is_source_or_prose(path)}


def _cleaned(
    path: str, data: bytes, is_opened: bool, search: ResultSearch, files: Mapping[str, bytes]
) -> _Cleaned:
    """Decide what becomes of a file that shows results."""
    lines = _lines_of(data)
    if not is_opened and is_stored_output(lines, search.printed):
        return _Cleaned("most of it is what the run prints")
    is_prose = PurePosixPath(path).suffix.lower() in _LINE_CLEANED
    hits = search.lines_with_results(lines, prose=is_prose)
    if is_prose:
        # A run often prints lines of what it reads.
        repeated = set() if is_opened else repeated_lines(lines, search.printed)
        numbers = with_whole_tables(lines, hits | repeated)
        return (
            _Cleaned(f"{len(numbers)} lines with its results are taken out", numbers)
            if numbers
            else _Cleaned()
        )
    has_many_lines = len(hits) >= min(2, len(search.rows))
    if not hits or not (has_many_lines or search.has_several("\n".join(lines))):
        return _Cleaned()
    first = lines[min(hits) - 1][:80]
    if not is_opened:
        return _Cleaned(f"it has results in {len(hits)} lines, and the run does not open it: {first}")
    numbers = unread_result_lines(path, data, [lines[hit - 1] for hit in hits], files)
    if search.lines_with_results(_lines_of(without_lines(data, numbers))):
        return _Cleaned(leak=f"{path}, which the run opens, has results: {first}")
    return _Cleaned(
        f"{len(numbers)} lines with its results, which the run does not read, are taken out", numbers
    )


def _lines_of(data: bytes) -> list[str]:
    """The lines of a text file; none if it is long or no text."""
    if len(data) > MOST_SEARCHED or b"\0" in data[:4096]:
        return []
    return data.decode(errors="replace").split("\n")


def _reason(path: str, scripts: Collection[str], written: Collection[str], opened: Collection[str]) -> str:
    suffix = PurePosixPath(path).suffix.lower()
    if path in scripts:
        return "it is the experiment"
    if path in written:
        return "the run writes it, so it would show the results"
    if path in opened:
        return ""
    if suffix in _PAPER:
        return "it is a part of a paper"
    if suffix in _PICTURES:
        return "a picture or a PDF that may show results, and the run does not open it"
    if suffix == ".ipynb":
        return "a notebook that may show results, and the run does not open it"
    return ""


def _copies(
    files: Mapping[str, bytes],
    scripts: Collection[str],
    opened: Collection[str],
    kept_files: Mapping[str, bytes],
    search: ResultSearch,
) -> dict[str, str]:
    """Return what kept files hold of the experiment, in any form; a module of the run may be like it."""
    copies = {
        path: finding
        for path, (finding, is_code) in find_function_copies(files, scripts, kept_files).items()
        if path not in opened or not is_code
    }
    lines_of_scripts = script_lines(files, scripts)
    for path, data in kept_files.items():
        if path not in copies:
            finding = find_copy(path, data, path in opened, lines_of_scripts, search)
            copies |= {path: finding} if finding else {}
    return copies
