"""Leaves out files that no run opens and that are neither source, settings nor prose.

Nobody needs them to fill in a function, and each may have a copy of it in a form that no search finds: a page
of a manual, a recorded terminal, a table, a notebook, a picture.
"""

from __future__ import annotations

import dataclasses
import fnmatch

from assay.masking.pipeline.bench import RepositoryRunner
from assay.masking.pipeline.gold import GoldRuns, problem_of_run, seeded_variations
from assay.masking.pipeline.options import MaskingOptions
from assay.masking.source_files import is_source_or_prose
from assay.sandbox.confinement import MOST_FOLLOWED


async def without_unread_files(
    bench: RepositoryRunner, gold: GoldRuns, options: MaskingOptions
) -> RepositoryRunner:
    """Return the runner without files that no run opens; with all files if the numbers then differ.

    Where there are too many to watch, all are left out together, if the run does not need them.
    """
    doubtful = {path for path in bench.files if not _is_kept(path, options)}
    if not doubtful:
        return bench
    opened = await _opened(bench, gold, doubtful) if len(doubtful) <= MOST_FOLLOWED else frozenset()
    if opened is None or doubtful <= opened:
        return bench
    unread = sorted(doubtful - opened)
    count = f"{len(unread)} files that no run opens ({', '.join(unread[:3])}{', …' if unread[3:] else ''})"
    files = {path: data for path, data in bench.files.items() if path not in doubtful or path in opened}
    smaller = dataclasses.replace(bench, files=files)
    problem = await problem_of_run(smaller, gold)
    if problem is not None:
        options.report(f"workspace: kept {count}, because without them the run {problem}")
        return bench
    options.report(f"workspace: left out {count}; --keep PATTERN keeps them")
    return smaller


def _is_kept(path: str, options: MaskingOptions) -> bool:
    return is_source_or_prose(path) or any(fnmatch.fnmatch(path, pattern) for pattern in options.keep)


async def _opened(bench: RepositoryRunner, gold: GoldRuns, paths: set[str]) -> frozenset[str] | None:
    """Return those of the files that a run of the command or of a variation opens; None if unknown."""
    opened: frozenset[str] = frozenset()
    for variation in (None, *(seeded for each in gold.variations for seeded in seeded_variations(each))):
        outcome = await bench.run(variation=variation, followed=tuple(sorted(paths)))
        if outcome.opened is None:
            return None
        opened |= outcome.opened
    return opened
