"""The verdict of a rule: met or not, with the evidence."""

from __future__ import annotations

from typing import TypedDict


class Rule(TypedDict):
    """One rule's entry in an evaluator's report."""

    met: bool
    evidence: str


class Refused(Exception):
    """An artefact breaks the contract; the message says how."""


def verdict(holds: bool, evidence: str) -> Rule:
    """Return a rule's entry."""
    return {"met": bool(holds), "evidence": evidence}


def met(evidence: str) -> Rule:
    """Return the entry of a rule that is met."""
    return verdict(True, evidence)


def unmet(evidence: str) -> Rule:
    """Return the entry of a rule that is broken."""
    return verdict(False, evidence)
