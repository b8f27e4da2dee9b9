"""Phrases that the reports of several benchmarks share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Protocol


class AuditFinding(Protocol):
    """One thing that is wrong with a published benchmark."""

    @property
    def kind(self) -> str:
        """The kind of fault, in one word."""
        ...

    @property
    def place(self) -> str:
        """Where it is."""
        ...

    @property
    def text(self) -> str:
        """What is wrong."""
        ...


def pinned(commit: str | None) -> str:
    """Say at which commit a copy is."""
    return f"commit {commit}" if commit else "a plain folder without a commit"


def count_kinds(findings: Sequence[AuditFinding]) -> str:
    """Say how many findings there are of each kind."""
    kinds = Counter(finding.kind for finding in findings)
    return ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "nothing is wrong"


def findings_json(findings: Sequence[AuditFinding]) -> list[dict[str, str]]:
    """Return every finding as `assay audit --json` prints it."""
    return [{"kind": finding.kind, "place": finding.place, "text": finding.text} for finding in findings]
