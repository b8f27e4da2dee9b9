"""Whether a workspace already holds the functions that a masked task asks for."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from assay.certification.evidence import nowhere
from assay.masking.leaks.sources import FunctionPlace, all_definitions
from assay.masking.leaks.twins import find_twins
from assay.tasks import CheckResult, Task
from assay.tasks.kinds import MASKED
from assay.workspace.system_copies import system_copies


def no_copies(task: Task) -> dict[str, CheckResult]:
    """Search the workspace of a masked task, and this machine's system, for copies of the removed bodies.

    Near twins in the workspace are only named. A copy in the system is none if sandboxes hide it.
    """
    if task.kind != MASKED:
        return {}
    masked = {FunctionPlace(mask.file, mask.function) for mask in task.assay.masks}
    files = {**task.workspace, **task.gold_files}
    system = system_copies(task)
    found_twins = [*find_twins(sorted(masked, key=str), files), *system.unhidden]
    twins = [twin for twin in found_twins if twin.where not in map(str, masked)]
    copies = [twin.description for twin in twins if twin.verbatim] or list(_namesakes(masked, files))
    descriptions = [twin.description for twin in twins]
    evidence = "; ".join((copies or descriptions)[:3]) or "no file holds a copy"
    evidence = f"{evidence}; {system.description}"
    return {"copies": CheckResult(holds=not copies, evidence=nowhere(evidence))}


def _namesakes(masked: Collection[FunctionPlace], files: Mapping[str, bytes]) -> Iterator[str]:
    """Describe functions with the name and the body of a removed one, which may be too short to be a twin."""
    sources = {path: data for path, data in files.items() if path.endswith(".py")}
    bodies = {
        defined.place: ast.dump(ast.Module(defined.node.body, [])) for defined in all_definitions(sources)
    }
    for place in masked:
        for copy_place, body in bodies.items():
            if (
                copy_place not in masked
                and copy_place.function == place.function
                and body == bodies.get(place)
            ):
                yield f"{copy_place} is the same as {place}"
