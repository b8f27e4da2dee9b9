"""The design, variable by variable: the right role, the right values; spelling is forgiven.

What hangs on words (a variable under another name, values in prose) is left to a judge. Where the task itself
gives the names, a design without one is wrong, and no judge is needed to say so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from assay.rules.check_submission import ROLES, read
from assay.rules.ruling import Ruling, met, unmet, unread
from assay.rules.shapes import DesignShape, VariableShape
from assay.rules.value_words import NO_WORDING, Wording, wording_of
from assay.rules.written_values import compare_values, normal, same_values, spread, text_of

LEAST_SHADOWS = 3
"""Variables that are stated twice from which on a design is taken to say everything twice."""
EMPTY_WORDS = {
    *("actual", "again", "alternative", "another", "best", "by", "contrast", "correct", "fact", "false"),
    *("final", "honest", "is", "new", "not", "other", "own", "perhaps", "possible", "possibly", "proper"),
    *("real", "really", "right", "second", "true", "truly", "truth", "version", "wrong"),
}
"""Words that name no other quantity when they are added to the name of a variable."""
MOST_ALIKE = 4
"""Variables that could be the wanted one, each with other values, from which on none is."""


def grade_design(
    design: DesignShape, handed_in: bytes | None, instruction: str | None = None
) -> list[Ruling]:
    """One ruling for each variable; names in `instruction` need no judge; None stands for all names."""
    stated, problem = read_design(handed_in)
    if problem is None and not any(stated.values()):
        problem = "design.json names no variable"
    if problem is not None:
        return [unmet(f"design.{variable.name}", problem) for variable in design.variable]
    shadows = _shadows(design, stated)
    return [
        unmet(f"design.{variable.name}", shadows[variable.name])
        if variable.name in shadows
        else _grade(
            variable,
            stated,
            _wording(variable, instruction or ""),
            named=instruction is None or f"`{variable.name}`" in instruction,
        )
        for variable in design.variable
    ]


def _wording(variable: VariableShape, instruction: str) -> Wording:
    """What the task says about a variable."""
    return wording_of(variable.name, variable.synonyms, variable.values, instruction)


def _shadows(design: DesignShape, stated: Stated) -> dict[str, str]:
    """Variables that are stated again in another role under a second name, where most variables are.

    One such name may be a variable of its own, and one that adds the word for another quantity is one
    ("model family"). A design that has them for most of its variables says everything twice, and nothing.
    """
    known = {normal(name) for variable in design.variable for name in (variable.name, *variable.synonyms)}
    shadows = {
        variable.name: f"is stated again as {role}: {name!r}"
        for variable, role, name in _second_names(design, stated)
    }
    for variable in design.variable:
        own_values = [text_of(values) for _, _, values in _named(stated, [variable.name])]
        for role in ROLES:
            for name, values in stated[role].items() if role != variable.role else ():
                added = _words(name) - _words(variable.name)
                is_longer = normal(name) not in known and _words(variable.name) < _words(name)
                if is_longer and (text_of(values) in own_values or _names_nothing(added)):
                    shadows[variable.name] = f"is stated again as {role}: {name!r}"
    return shadows if len(shadows) >= max(LEAST_SHADOWS, len(design.variable) / 2) else {}


def _second_names(design: DesignShape, stated: Stated) -> Iterator[tuple[VariableShape, str, str]]:
    """Synonyms that have another role than their variable, which is stated under its own name too."""
    names = {normal(variable.name) for variable in design.variable}
    for variable in design.variable:
        if _named(stated, [variable.name]):
            for role, name, _ in _named(stated, variable.synonyms):
                if role != variable.role and normal(name) not in names:
                    yield variable, role, name


def _names_nothing(words: frozenset[str]) -> bool:
    """Whether words only repeat what another word names, such as "real" or "2"."""
    return all(word in EMPTY_WORDS or word.isdigit() for word in words)


def extra_variables(design: DesignShape, handed_in: bytes | None) -> list[str]:
    """Variables that the true design does not have, each with its role: they are shown.

    A synonym beside the name itself, in another role, is such a variable too.
    """
    stated, _ = read_design(handed_in)
    if not stated:
        return []
    second_names = {(role, name) for _, role, name in _second_names(design, stated)}
    known_names = {
        normal(name) for variable in design.variable for name in (variable.name, *variable.synonyms)
    }
    return [
        f"{name} ({role})"
        for role in stated
        for name in stated[role]
        if normal(name) not in known_names or (role, name) in second_names
    ]


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


def _grade(variable: VariableShape, stated: Stated, wording: Wording = NO_WORDING, *, named: bool) -> Ruling:
    item = f"design.{variable.name}"
    # A synonym speaks only where the name itself is not there: it may be the name of something else.
    matches = _named(stated, [variable.name]) or _named(stated, variable.synonyms)
    if not matches:
        if (problem := _contradiction(variable, stated)) is not None:
            return unmet(item, problem)
        return _unclear(item, f"the design names no {variable.name!r}", named=named)
    role, name, values = matches[0]
    if len({match[0] for match in matches}) > 1:
        roles = ", ".join(match[0] for match in matches)
        return unmet(item, f"{name!r} is given several roles: {roles}")
    if role != variable.role:
        return unmet(item, f"{name!r} is called {role}, it is {variable.role}")
    if getattr(variable, "match", None) is not None:
        return _grade_accepted(item, variable, name, [value for match in matches for value in match[2]])
    for _, name, values in matches if variable.values else []:
        likeness = compare_values(variable.values, values, wording)
        evidence = f"{name!r} takes {short(values)}, expected {short(variable.values)}"
        if likeness == "different":
            return unmet(item, evidence)
        if likeness == "unclear":
            return _unclear(item, evidence, named=named)
    return met(item, f"{name!r}: {role}, {short(values)}")


def _grade_accepted(item: str, variable: VariableShape, name: str, values: Sequence[object]) -> Ruling:
    """The ruling where the truth has the values as data: exact ones need no reader, all others do."""
    if variable.match == "none":
        return met(item, f"{name!r}: {variable.role}")
    missing = [
        spellings[0]
        for spellings in variable.accepted
        if not any(same_values([spelling], [value]) for spelling in spellings for value in spread(values))
    ]
    expected = [spellings[0] for spellings in variable.accepted]
    evidence = f"{name!r} takes {short(values)}, expected {variable.match} of {short(expected)}"
    if len(spread(values)) > len(expected) or (missing if variable.match == "all" else missing == expected):
        return unread(item, evidence)
    return met(item, evidence)


def _unclear(item: str, evidence: str, *, named: bool) -> Ruling:
    return unmet(item, evidence) if named else unread(item, evidence)


def _contradiction(variable: VariableShape, stated: Stated) -> str | None:
    """Why variables that could be the wanted one leave open which is meant, or None.

    A design that states every role and every value says nothing, and no reader has to choose for it.
    """
    names = [words for name in (variable.name, *variable.synonyms) if (words := _words(name))]
    alike = [
        (role, name, values)
        for role in ROLES
        for name, values in stated[role].items()
        if any(words <= _words(name) for words in names)
    ]
    roles = sorted({role for role, _, _ in alike})
    plain = {
        (role, frozenset(word for word in _words(name) - {*ROLES} if not word.isdigit()))
        for role, name, _ in alike
    }
    repeated = len({words for _, words in plain}) < len(plain)
    if repeated or (len(roles) == len(ROLES) and len(alike) >= MOST_ALIKE):
        listing = short([name for _, name, _ in alike])
        return f"what may be {variable.name!r} is given several roles ({', '.join(roles)}): {listing}"
    different = {text_of(values) for _, _, values in alike}
    if len(alike) >= MOST_ALIKE and len(different) >= MOST_ALIKE:
        listing = short([f"{name} = {short(values)}" for _, name, values in alike])
        return f"what may be {variable.name!r} is given {len(different)} different values: {listing}"
    return None


def _words(name: str) -> frozenset[str]:
    words = re.findall(r"[^\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).casefold())
    return frozenset(words) - {"of", "the", "a", "an", "in", "for", "per"}


def _named(stated: Stated, names: Iterable[str]) -> list[tuple[str, str, list[object]]]:
    normal_names = {normal(name) for name in names}
    return [
        (role, name, values)
        for role in ROLES
        for name, values in stated[role].items()
        if normal(name) in normal_names
    ]


def short(values: Sequence[object]) -> str:
    """Some values on one line, cut where the line is long."""
    text = ", ".join(text_of(value) for value in values)
    return text if len(text) <= 120 else text[:119] + "…"
