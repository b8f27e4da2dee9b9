"""The design, variable by variable: the right role, the right values; spelling is forgiven.

What hangs on words (a variable under another name, values in prose) is left to a judge. Where the task itself
gives the names, a design without one is wrong, and no judge is needed to say so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from assay.grading.values import compare_values, normal, text_of
from assay.grading.verdict import UNREAD, Notice, Verdict
from assay.tasks import Design, Variable
from assay.workspace.check_submission import ROLES, read

MOST_ALIKE = 4
"""Variables that could be the wanted one, each with other values, from which on none is."""


def grade_design(design: Design, handed_in: bytes | None, instruction: str | None = None) -> list[Verdict]:
    """One verdict for each variable; `instruction` is what the agent was told, None for all the names."""
    stated, problem = read_design(handed_in)
    if problem is None and not any(stated.values()):
        problem = "design.json names no variable"
    if problem is not None:
        return [_unmet(f"design.{variable.name}", problem) for variable in design.variable]
    return [
        _grade(variable, stated, given=instruction is None or f"`{variable.name}`" in instruction)
        for variable in design.variable
    ]


def extra_variables(design: Design, handed_in: bytes | None) -> list[Notice]:
    """Variables that the true design does not have: they cost nothing, and are shown."""
    stated, _ = read_design(handed_in)
    known = {normal(name) for each in design.variable for name in (each.name, *each.synonyms)}
    extra = [f"{name} ({role})" for role in stated for name in stated[role] if normal(name) not in known]
    if not extra:
        return []
    return [Notice(flag="extra-variables", evidence=f"{len(extra)}: {_short(extra)}")]


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


def _grade(variable: Variable, stated: Stated, *, given: bool) -> Verdict:
    item = f"design.{variable.name}"
    # A synonym speaks only where the name itself is not there: it may be the name of something else.
    found = _named(stated, [variable.name]) or _named(stated, variable.synonyms)
    if not found:
        if (problem := _contradiction(variable, stated)) is not None:
            return _unmet(item, problem)
        return _unclear(item, f"the design names no {variable.name!r}", given=given)
    role, name, values = found[0]
    if len({each[0] for each in found}) > 1:
        roles = ", ".join(each[0] for each in found)
        return _unmet(item, f"{name!r} is given several roles: {roles}")
    if role != variable.role:
        return _unmet(item, f"{name!r} is called {role}, it is {variable.role}")
    for _, name, values in found if variable.values else []:
        likeness = compare_values(variable.values, values)
        evidence = f"{name!r} takes {_short(values)}, expected {_short(variable.values)}"
        if likeness == "different":
            return _unmet(item, evidence)
        if likeness == "unclear":
            return _unclear(item, evidence, given=given)
    return Verdict(item=item, status="met", evidence=f"{name!r}: {role}, {_short(values)}")


def _unmet(item: str, evidence: str) -> Verdict:
    return Verdict(item=item, status="unmet", owner="agent", evidence=evidence)


def _unclear(item: str, evidence: str, *, given: bool) -> Verdict:
    if given:
        return Verdict(item=item, status="unmet", owner="agent", evidence=evidence)
    return Verdict(
        item=item, status="unknown", owner="grader", evidence=f"{evidence}, and {UNREAD}", by="judge"
    )


def _contradiction(variable: Variable, stated: Stated) -> str | None:
    """Why variables that could be the wanted one leave open which is meant, or None.

    A design that states every role and every value says nothing, and no reader has to choose for it.
    """
    wanted = [words for name in (variable.name, *variable.synonyms) if (words := _words(name))]
    alike = [
        (role, name, values)
        for role in ROLES
        for name, values in stated[role].items()
        if any(words <= _words(name) for words in wanted)
    ]
    roles = sorted({role for role, _, _ in alike})
    plain = {
        (role, frozenset(each for each in _words(name) - {*ROLES} if not each.isdigit()))
        for role, name, _ in alike
    }
    repeated = len({words for _, words in plain}) < len(plain)
    if repeated or (len(roles) == len(ROLES) and len(alike) >= MOST_ALIKE):
        shown = _short([name for _, name, _ in alike])
        return f"what may be {variable.name!r} is given several roles ({', '.join(roles)}): {shown}"
    different = {text_of(values) for _, _, values in alike}
    if len(alike) >= MOST_ALIKE and len(different) >= MOST_ALIKE:
        shown = _short([f"{name} = {_short(values)}" for _, name, values in alike])
        return f"what may be {variable.name!r} is given {len(different)} different values: {shown}"
    return None


def _words(name: str) -> frozenset[str]:
    found = re.findall(r"[^\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).casefold())
    return frozenset(found) - {"of", "the", "a", "an", "in", "for", "per"}


def _named(stated: Stated, names: Iterable[str]) -> list[tuple[str, str, list[object]]]:
    wanted = {normal(name) for name in names}
    return [
        (role, name, values)
        for role in ROLES
        for name, values in stated[role].items()
        if normal(name) in wanted
    ]


def _short(values: Sequence[object]) -> str:
    text = ", ".join(text_of(value) for value in values)
    return text if len(text) <= 120 else text[:119] + "…"
