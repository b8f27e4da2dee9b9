"""Requirements, each proved by its check over re-made outputs or by what the run did; else by the judge."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from assay.errors import GradingError
from assay.grading.cleanroom import TRUTH, CleanRoom, Rerun
from assay.grading.derived_checks import decide
from assay.grading.execution_trace import ExecutionTrace, is_program, is_python, share_run
from assay.grading.fresh import SeedDraws
from assay.grading.run_outputs import tail
from assay.grading.verdict import Verdict
from assay.rules.requirement import (
    CHECK_SECONDS,
    CHECK_WALL_SECONDS,
    SEEDS_FILE,
    check_broke,
    grade_check,
    item_of,
    needs_reader,
    nothing_handed_in,
    nothing_to_check,
)
from assay.rules.ruling import Ruling, met, unmet
from assay.run_context import run_context
from assay.sandbox import run_confined
from assay.tasks import Requirement

MOST_OF_IT = 0.5
"""Share of the statements in its functions from which on an unchanged solution counts as run: one that only
prints its usage is for the judge to read."""


async def grade_requirement(room: CleanRoom, requirement: Requirement) -> Verdict:
    """The verdict of one check; a check that breaks raises GradingError."""
    if requirement.check is None:
        plain = await room.rerun() if room.task.assay.run else None
        return Verdict.of(await asyncio.to_thread(_unchecked, room, requirement, plain))
    plain = await room.rerun()
    if plain.results is None:
        return Verdict.of(nothing_to_check(requirement.id, plain.problem))
    folder = await _outputs(room)
    outcome = await run_confined(
        room.confine(folder, seconds=CHECK_WALL_SECONDS, cpu_seconds=CHECK_SECONDS, truth=True),
        ["python", f"{TRUTH}/{requirement.check}"],
    )
    evidence = tail(outcome.stdout or outcome.stderr, 500) or "the check said nothing"
    if check_broke(outcome.returncode, outcome.stderr, timed_out=outcome.timed_out):
        raise GradingError(f"check {requirement.check} broke (exit {outcome.returncode}): {evidence}")
    return Verdict.of(grade_check(requirement.id, outcome.returncode, evidence))


def _unchecked(room: CleanRoom, requirement: Requirement, plain: Rerun | None) -> Ruling:
    """The verdict where no check can be run: only what ran can show anything.

    The solution's own files, as they are, do what they do once they run.
    """
    item = item_of(requirement.id)
    if not room.submission.files and not room.submission.deleted:
        return nothing_handed_in(requirement.id)
    if plain is not None and plain.hollow is not None:
        return unmet(item, plain.hollow)
    trace = plain.trace if plain is not None else None
    gold = {**room.task.workspace, **room.task.gold_files}
    unchanged = requirement.gold and all(room.files.get(path) == gold[path] for path in requirement.gold)
    if unchanged and trace is not None and (dead := set(requirement.gold) & set(trace.never)):
        evidence = f"{', '.join(sorted(dead))} is right and never ran: {trace.account}"
        return unmet(item, evidence)
    if unchanged and all(_ran(room, trace, path) for path in requirement.gold):
        evidence = f"the solution's own {', '.join(requirement.gold)}, unchanged"
        evidence += f"; {trace.account}" if trace is not None else ""
        return met(item, evidence)
    if requirement.facts and trace is not None and plain is not None and plain.results is not None:
        return _by_facts(room, requirement)
    return needs_reader(requirement.id)


def _by_facts(room: CleanRoom, requirement: Requirement) -> Ruling:
    """The verdict of a derived check: what the gold lines do, and whether the run did it."""
    decision = decide(requirement.facts, room.evidence)
    if decision.status == "undecided":
        return needs_reader(requirement.id, decision.evidence)
    return (met if decision.status == "met" else unmet)(item_of(requirement.id), decision.evidence)


def _ran(room: CleanRoom, trace: ExecutionTrace | None, path: str) -> bool:
    """Whether a file of the solution is known to have run, and for the most part.

    Data need not; of given files only Python is followed, and a notebook may run under another name. Of a
    given file some function must have run: a solution may need few of them, and an import calls none.
    """
    is_given_data = path not in room.submission.files and not is_python(path, room.files[path])
    if trace is None or is_given_data or not is_program(path, room.files[path]):
        return True
    if path in trace.lines:
        return share_run(room.files[path].decode(errors="replace"), trace.lines[path]) >= MOST_OF_IT
    if path in trace.given:
        return share_run(room.files[path].decode(errors="replace"), trace.given_lines.get(path, ())) > 0
    return path in trace.ran and (trace.blind or path not in trace.python)


async def _outputs(room: CleanRoom) -> Path:
    folder = room.folder / "checks"
    if not folder.is_dir():
        draws = run_context().part(SeedDraws)
        variations = room.task.assay.variations
        drawn_variations = [draws.draw(room.task, variation) for variation in variations]
        reruns = [await room.rerun(), *[await room.rerun(variation) for variation in drawn_variations]]
        fresh = {variation.name for variation in variations if variation.fresh}
        seeds = {variation.name: variation.seed for variation in drawn_variations if variation.name in fresh}
        parts = {f"outputs/{rerun.variation}": rerun.outputs for rerun in reruns}
        seeds_file = {"outputs": {SEEDS_FILE: json.dumps(seeds).encode()}}
        room.lay_beside("checks", {**seeds_file, **parts, "submission": room.files})
    return folder
