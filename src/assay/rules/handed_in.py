"""Whether everything that must be handed in was."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from assay.rules.ruling import Ruling, met, unmet

FILE_LIMIT = 16 * 2**20
TOTAL_LIMIT = 64 * 2**20
COUNT_LIMIT = 5_000
"""Limits of a submission: bytes of a file, bytes and number of all changed files."""
SKIPPED_NAMES = ("__pycache__", ".git", ".ipynb_checkpoints", ".pytest_cache", ".mypy_cache")
"""Files and folders of a workspace that are no part of what is handed in."""
HANDED_IN = "handed-in."
"""How the items begin that say whether a file was handed in."""


def grade_handed_in(
    required: Collection[str],
    submitted: Collection[str],
    given_files: Collection[str],
    deleted: Collection[str],
    refused: Mapping[str, str],
) -> list[Ruling]:
    """One ruling for each required file.

    An agent that changes other files may leave a required one as it was given; one that changes nothing
    hands nothing in.
    """
    rulings = []
    for path in required:
        unchanged = path in given_files and path not in deleted and path not in refused
        present = path in submitted or (unchanged and bool(submitted))
        reason = refused.get(path, "it was not handed in")
        rulings.append((met if present else unmet)(f"{HANDED_IN}{path}", "handed in" if present else reason))
    return rulings
