"""The questions about each phase, made of the truth and of what was handed in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from assay.grading.judge.guard import plain_part
from assay.grading.judge.material import Material
from assay.grading.judge.prompt import Question
from assay.tasks import Claim, Requirement, Variable

LONGEST_GOLD = 8_000
"""Characters of the solution that are shown beside a requirement; the judge sees if it was cut."""


def about_variable(variable: Variable, stated: Mapping[str, Mapping[str, Sequence[object]]]) -> Question:
    """Whether a design that names it otherwise, or in prose, still holds a variable."""
    lines = [
        f"{role}: {name}{' = ' + _values(values) if values else ''}"
        for role, variables in stated.items()
        for name, values in variables.items()
    ]
    truth = [f"variable: {variable.name}", f"role: {variable.role}"]
    truth += [f"values: {_values(variable.values)}"] if variable.values else []
    truth += [f"also called: {', '.join(variable.synonyms)}"] if variable.synonyms else []
    return Question(
        item=f"design.{variable.name}",
        phase="design",
        asked=f"Does the design have the variable {variable.name!r} as {variable.role}, with these values?",
        truth="\n".join(truth),
        parts=(plain_part("design", "\n".join(lines)),),
    )


def about_requirement(requirement: Requirement, gold: Mapping[str, str], material: Material) -> Question:
    """Whether the code does what is required; `gold` is how the solution does it."""
    gold_text = "\n".join(f"{path}:\n{text}" for path, text in gold.items())
    if len(gold_text) > LONGEST_GOLD:
        gold_text = (
            gold_text[:LONGEST_GOLD] + f"\n(the first {LONGEST_GOLD:,} of {len(gold_text):,} characters)"
        )
    truth = f"One way that is right:\n{gold_text}" if gold_text else "No solution is at hand."
    return Question(
        item=f"requirement.{requirement.id}",
        phase="requirement",
        asked=requirement.text,
        truth=truth,
        parts=material.parts,
        unread=material.unread,
        aside=material.aside,
    )


def about_claim(claim: Claim, statement: str) -> Question:
    """Whether a conclusion in other words says what is true."""
    tolerance = f"\nNumbers within {claim.tolerance:g} are the same." if claim.tolerance else ""
    return Question(
        item=f"conclusion.{claim.id}",
        phase="conclusion",
        asked=claim.question,
        truth=f"{claim.answer}{tolerance}",
        parts=(plain_part("conclusion", statement),),
    )


def _values(values: Sequence[object]) -> str:
    return ", ".join(value if isinstance(value, str) else _json(value) for value in values)


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return repr(type(value))
