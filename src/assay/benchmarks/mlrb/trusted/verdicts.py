"""What a rule says: met or not, with the evidence for it."""

from __future__ import annotations

from typing import TypedDict


class Rule(TypedDict):
    """One rule's entry in an evaluator's report."""

    met: bool
    evidence: str


class Refused(Exception):
    """An artefact is not what the contract asks for; the message says how."""


def verdict(holds: bool, evidence: str) -> Rule:
    """A rule's entry, whatever it is."""
    return {"met": bool(holds), "evidence": evidence}


def met(evidence: str) -> Rule:
    """A rule that was kept."""
    return verdict(True, evidence)


def unmet(evidence: str) -> Rule:
    """A rule that was broken."""
    return verdict(False, evidence)
