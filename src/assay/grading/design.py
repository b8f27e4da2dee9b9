"""The design, variable by variable: the right role, the right values; spelling is forgiven."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from assay.grading.verdict import Verdict
from assay.tasks import Design, Variable
from assay.workspace.check_submission import ROLES, read


def grade_design(design: Design, handed_in: bytes | None) -> list[Verdict]:
    """One verdict for each variable of the true design."""
    stated, problem = read_design(handed_in)
    if problem is not None:
        return [
            Verdict(item=f"design.{variable.name}", status="unmet", owner="agent", evidence=problem)
            for variable in design.variable
        ]
    return [_grade(variable, stated) for variable in design.variable]


Stated = dict[str, dict[str, list[object]]]


def read_design(data: bytes | None) -> tuple[Stated, str | None]:
    """Role → name → values as handed in, or what is wrong with it."""
    table, problem = read("design.json", data)
    if problem is not None:
        return {}, problem
    stated: Stated = {}
    for role in ROLES:
        part = table.get(role, {})
        if isinstance(part, dict):
            stated[role] = {
                str(name): value if isinstance(value, list) else [value] for name, value in part.items()
            }
        else:
            stated[role] = {str(name): [] for name in part}
    return stated, None


def _grade(variable: Variable, stated: Stated) -> Verdict:
    item = f"design.{variable.name}"
    # A synonym speaks only where the name itself is not there: it may be the name of something else.
    found = _named(stated, [variable.name]) or _named(stated, variable.synonyms)
    if not found:
        return Verdict(
            item=item, status="unmet", owner="agent", evidence=f"the design names no {variable.name!r}"
        )
    role, name, values = found[0]
    if len({each[0] for each in found}) > 1:
        roles = ", ".join(each[0] for each in found)
        return Verdict(
            item=item, status="unmet", owner="agent", evidence=f"{name!r} is given several roles: {roles}"
        )
    if role != variable.role:
        evidence = f"{name!r} is called {role}, it is {variable.role}"
        return Verdict(item=item, status="unmet", owner="agent", evidence=evidence)
    wrong = [each for each in found if not same_values(variable.values, each[2])]
    if variable.values and wrong:
        _, name, values = wrong[0]
        evidence = f"{name!r} takes {_short(values)}, expected {_short(variable.values)}"
        return Verdict(item=item, status="unmet", owner="agent", evidence=evidence)
    return Verdict(item=item, status="met", evidence=f"{name!r}: {role}, {_short(values)}")


def _named(stated: Stated, names: Iterable[str]) -> list[tuple[str, str, list[object]]]:
    wanted = {normal(name) for name in names}
    return [
        (role, name, values)
        for role in ROLES
        for name, values in stated[role].items()
        if normal(name) in wanted
    ]


def same_values(expected: Iterable[object], found: Iterable[object]) -> bool:
    """Whether two lists hold the same values in any order; numbers by value, words by their letters."""
    rest = list(found)
    for value in expected:
        match = next((each for each in rest if _same(value, each)), None)
        if match is None:
            return False
        rest.remove(match)
    return not rest


def _same(expected: object, found: object) -> bool:
    left, right = as_number(expected), as_number(found)
    if left is not None and right is not None:
        return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-12)
    return normal(str(expected)) == normal(str(found))


def as_number(value: object) -> float | None:
    """A number however it is written: 0.5, "0.5" and "50%" are the same; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    share = isinstance(value, str) and value.strip().endswith("%")
    try:
        found = float(value.strip().removesuffix("%") if isinstance(value, str) else value)
    except (ValueError, OverflowError):
        return None
    return found / 100 if share else found


def normal(name: str) -> str:
    """A name without case, spacing or punctuation."""
    return re.sub(r"[\W_]+", "", name.casefold())


def _short(values: Iterable[object]) -> str:
    text = ", ".join(str(value) for value in values)
    return text if len(text) <= 120 else text[:119] + "…"
