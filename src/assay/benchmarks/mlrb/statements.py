"""Chooses the Lean 4 statements of miniF2F for the challenge: contest mathematics that needs no Mathlib."""

from __future__ import annotations

import re
from collections.abc import Mapping

from assay.benchmarks.mlrb.trusted.lean_source import Statement

PREAMBLE = 'notation "ℕ" => Nat\nnotation "ℤ" => Int\n'
"""Mathlib's names for two built-in types of Lean."""
CORE = {*"∀∃∧∨¬→↔≤≥<>=≠∣%/*+-^():,ℕℤ", "Nat.gcd", "Nat.lcm"}
"""All that a statement may contain besides numbers and the names that it binds."""
FALSE = {"mathd_numbertheory_126": "x = 37, a = 1480 meets every hypothesis and is not 8"}
"""Statements that are formalised wrongly, each with the reason why nobody can prove it."""
EASY = {
    "mathd_algebra_123",
    "mathd_algebra_144",
    "mathd_numbertheory_110",
    "mathd_numbertheory_1124",
    "mathd_numbertheory_136",
    "mathd_numbertheory_185",
    "mathd_numbertheory_247",
    "mathd_numbertheory_284",
    "mathd_numbertheory_293",
    "mathd_numbertheory_320",
    "mathd_numbertheory_33",
    "mathd_numbertheory_335",
    "mathd_numbertheory_34",
    "mathd_numbertheory_370",
    "mathd_numbertheory_458",
    "mathd_numbertheory_559",
    "mathd_numbertheory_582",
    "mathd_numbertheory_765",
    "mathd_numbertheory_92",
    "mathd_numbertheory_99",
}
"""Statements that Lean's tactic `omega` proves alone: they do not tell provers apart."""
TOKEN = re.compile(r"[^\W\d][\w'.]*|\d+|[^\w\s]")
BINDER = re.compile(r"\(([^():]*):|[∀∃]([^,:]*)[,:]")
NAME = re.compile(r"[^\W\d][\w']*")


def choose(sources: Mapping[str, str]) -> dict[str, str]:
    """Return name → theorem up to its `:=` of all suitable statements, sorted by name."""
    statements = [Statement.read(sources[name]) for name in sorted(sources)]
    return {
        statement.name: statement.text
        for statement in statements
        if statement.name not in FALSE and statement.name not in EASY and _fits(statement)
    }


def _fits(statement: Statement) -> bool:
    """Return whether it has variables and is only about whole numbers."""
    signature = statement.text.partition(statement.name)[2].strip()
    if not signature.startswith("("):
        return False
    bound = {
        name
        for hypotheses, quantified in BINDER.findall(signature)
        for name in NAME.findall(f"{hypotheses} {quantified}")
    }
    return all(token in CORE or token in bound or token.isdigit() for token in TOKEN.findall(signature))
