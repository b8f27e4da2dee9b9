"""Decides about near twins of candidates: they are emptied, masked together, or the candidate is refused.

A near twin that stays in the workspace shows the body. If the run does not execute it, it is emptied in every
task. If it is a candidate too, one task masks both. Otherwise the candidate is refused.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from assay.errors import MaskError
from assay.masking.engine import mask
from assay.masking.leaks.near_twins import Twin, near_twins
from assay.masking.leaks.sources import all_definitions
from assay.masking.pipeline.candidates import MaskCandidate

_REFERENCE = re.compile(
    r"(?:.*_)?(?:ref|reference|naive|orig|original|old|legacy|backup|bak|copy|slow|baseline)(?:_.*)?",
    re.IGNORECASE,
)
MAX_GROUP = 3
"""Largest number of near twins that one task masks together."""


@dataclass(frozen=True)
class TwinPlan:
    """What happens to the near twins of all candidates."""

    files: dict[str, bytes]
    """The files, with the near twins emptied that the run does not execute."""
    candidates: list[MaskCandidate]
    groups: list[frozenset[str]]
    """Candidates that are near twins of each other."""
    left_out: dict[str, str] = field(default_factory=dict)
    emptied: dict[str, set[str]] = field(default_factory=dict)
    """Emptied function -> candidates whose body it shows."""


def plan_twins(
    files: Mapping[str, bytes], candidates: Sequence[MaskCandidate], executed: Collection[str]
) -> TwinPlan:
    """Find the near twins of all candidates and decide about each."""
    sources = {path: data for path, data in files.items() if path.endswith(".py")}
    definitions = list(all_definitions(sources))
    twins = {candidate.name: near_twins(candidate.defined, definitions) for candidate in candidates}
    left_out = _reference_copies(candidates, twins)
    names = {candidate.name for candidate in candidates} - left_out.keys()
    plan = TwinPlan(dict(files), [], [], left_out)
    for name in sorted(names):
        for twin in twins[name]:
            if twin.where not in executed:
                plan.emptied.setdefault(twin.where, set()).add(name)
    _empty(plan)
    _refuse_shown(plan, names, twins, executed)
    kept_names = names - left_out.keys()
    plan.groups.extend(_groups(kept_names, twins))
    for group in [group for group in plan.groups if len(group) > MAX_GROUP]:
        reason = f"it has {len(group) - 1} near twins, more than a task can mask together"
        left_out.update(dict.fromkeys(group, reason))
        plan.groups.remove(group)
    plan.candidates.extend(candidate for candidate in candidates if candidate.name not in left_out)
    return plan


def _reference_copies(
    candidates: Sequence[MaskCandidate], twins: Mapping[str, Sequence[Twin]]
) -> dict[str, str]:
    """Return the candidates that are reference copies of other functions by name and by similarity."""
    reasons = {}
    for candidate in candidates:
        originals = [twin for twin in twins[candidate.name] if not _is_reference(twin.where)]
        if originals and _is_reference(candidate.name):
            closest = max(originals, key=lambda twin: twin.alike)
            reasons[candidate.name] = f"a reference copy of {closest.where} ({closest.alike:.0%} alike)"
    return reasons


def _is_reference(name: str) -> bool:
    """True if a file or a function is called a reference, an old version or a copy."""
    path, _, function = name.partition("::")
    words = [PurePosixPath(path).stem, *PurePosixPath(path).parent.parts, function.rpartition(".")[2]]
    return any(_REFERENCE.fullmatch(word) for word in words)


def _empty(plan: TwinPlan) -> None:
    """Empty the near twins; a twin that cannot be emptied refuses the candidates that it shows."""
    for emptied_name, shown_names in sorted(plan.emptied.items()):
        path, _, function = emptied_name.partition("::")
        try:
            plan.files[path] = mask(plan.files[path], [function]).source
        except MaskError as error:
            del plan.emptied[emptied_name]
            reason = f"given away: {emptied_name} is a near twin and cannot be emptied: {error.reason}"
            plan.left_out.update(dict.fromkeys(shown_names, reason))


def _refuse_shown(
    plan: TwinPlan, names: Collection[str], twins: Mapping[str, Sequence[Twin]], executed: Collection[str]
) -> None:
    """Refuse each candidate with an executed near twin that no task can mask; repeat for its own twins."""
    changed = True
    while changed:
        changed = False
        for name in sorted(set(names) - plan.left_out.keys()):
            for twin in twins[name]:
                if twin.where in executed and (twin.where not in names or twin.where in plan.left_out):
                    plan.left_out[name] = f"given away: {twin.description}, which the run executes"
                    changed = True
                    break


def _groups(names: Collection[str], twins: Mapping[str, Sequence[Twin]]) -> list[frozenset[str]]:
    """Return the sets of candidates that are connected by near twins, larger than one."""
    groups: list[set[str]] = []
    for name in sorted(names):
        members = {name} | {twin.where for twin in twins[name] if twin.where in names}
        connected = [group for group in groups if group & members]
        for group in connected:
            members |= group
            groups.remove(group)
        groups.append(members)
    return sorted((frozenset(group) for group in groups if len(group) > 1), key=sorted)
