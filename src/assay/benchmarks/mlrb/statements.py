"""Which of miniF2F's Lean 4 statements the challenge asks for: school mathematics that needs no Mathlib."""

from __future__ import annotations

import re
from collections.abc import Mapping

from assay.benchmarks.mlrb.trusted.lean_source import Statement

PREAMBLE = 'notation "ℕ" => Nat\nnotation "ℤ" => Int\n'
"""Mathlib's names for two types of Lean's own."""
KINDS = ("amc12", "induction_", "mathd_")
"""Contests for schools and textbook exercises; no olympiads."""
CORE = {*"∀∃∧∨¬→↔≤≥<>=≠∣%/*+-^():,ℕℤ", "Nat.gcd", "Nat.lcm"}
"""All that a statement may hold beside numbers and the names that it binds itself."""
FALSE = {"mathd_numbertheory_126": "x = 37, a = 1480 meets every hypothesis and is not 8"}
"""Statements that were formalised wrongly, each with why nobody can prove it."""
TOKEN = re.compile(r"[^\W\d][\w'.]*|\d+|[^\w\s]")
BINDER = re.compile(r"\(([^():]*):|[∀∃]([^,:]*)[,:]")
NAME = re.compile(r"[^\W\d][\w']*")


def choose(sources: Mapping[str, str]) -> dict[str, str]:
    """Name → the theorem up to its `:=`, of all that fit, by name."""
    read = [Statement.read(sources[name]) for name in sorted(sources)]
    return {each.name: each.text for each in read if each.name not in FALSE and _fits(each)}


def _fits(statement: Statement) -> bool:
    """Whether it is of the kinds, has something to reason about, and speaks only of whole numbers."""
    rest = statement.text.partition(statement.name)[2].strip()
    if not statement.name.startswith(KINDS) or not rest.startswith("("):
        return False
    bound = {name for one, other in BINDER.findall(rest) for name in NAME.findall(f"{one} {other}")}
    return all(each in CORE or each in bound or each.isdigit() for each in TOKEN.findall(rest))
