"""Variants of a task's solution that its author wrote: broken ones must fail, honest ones must pass.

Valid ones are honest and weak: they must break no rule and get a score, whatever it is. An honest variant
`better` of a challenge must beat the reference, so that the reference is shown not to be the limit.

Each result that is as it must be is kept as a file beside the logs at once, so that a proof that was stopped
goes on. Another result is made again by the next proof: its machine may not have been as the task asks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.agents.variants import offered
from assay.certification.evidence import nowhere
from assay.evaluation.turns import usable_cores
from assay.files import publish
from assay.grading import Grade, grade
from assay.grading.verdict import Verdict
from assay.tasks import CheckResult, Task
from assay.tasks.kinds import MASKED
from assay.tasks.metric import Strict
from assay.workspace import Submission
from assay.workspace.made_with import made_with

BROKEN, HONEST, VALID = "broken-", "variant-", "valid-"
BETTER = "better"
"""The honest variant of a challenge that beats the reference, and the check that it does."""
SAMPLED_VARIANTS = 2
"""Broken variants of each task in a sample."""
_HANDED_IN_BY_AGENTS = ("caches-answers", "float-noise")


@dataclass(frozen=True)
class TaskVariant:
    """One variant of a solution."""

    task: Task
    check: str
    files: Mapping[str, bytes]
    """Changes to the solution."""

    @property
    def is_broken(self) -> bool:
        """Whether grading has to reject it."""
        return self.check.startswith(BROKEN)

    def is_right(self, given: Grade) -> bool:
        """Whether a grade is what it has to be."""
        if self.check.startswith(VALID):
            return given.score is not None and not unmet_rules(given)
        if self.check == BETTER:
            return given.passed is True and _beats_reference(self.task, given)
        return given.passed is not self.is_broken and given.passed is not None

    def kept_in(self, folder: Path) -> Path:
        """The file of its result; another version of the task has another file."""
        return folder / self.task.digest[:32] / f"{self.check}.json"


class VariantResult(Strict):
    """What grading made of a variant."""

    task: str
    check: CheckResult
    made_with: str = ""


def variants_of(task: Task, *, sample: bool = False) -> list[TaskVariant]:
    """Every variant that no agent hands in; a sample has a few broken ones only."""
    broken = [TaskVariant(task, f"{BROKEN}{name}", files) for name, files in task.broken.items()]
    if sample:
        return broken[:SAMPLED_VARIANTS]
    honest = offered(task)
    names = list(honest)
    last = names[-1:] if task.kind != MASKED else []
    better = [BETTER] if task.assay.challenge is not None and BETTER in honest else []
    tried = {*names[:1], *last, *better, *_HANDED_IN_BY_AGENTS}
    untried = {name: files for name, files in honest.items() if name not in tried}
    return [
        *broken,
        *(TaskVariant(task, f"{HONEST}{name}", files) for name, files in untried.items()),
        *(TaskVariant(task, name, honest[name]) for name in better),
        *(TaskVariant(task, f"{VALID}{name}", files) for name, files in offered(task, "valid").items()),
    ]


async def grade_variants(
    variants: Sequence[TaskVariant], folder: Path, tell: Callable[[str, str, bool], None] | None
) -> dict[str, dict[str, VariantResult]]:
    """Task → check → its result, read from `folder` if it was made before, otherwise made now and kept."""
    places = asyncio.Semaphore(usable_cores())
    results: dict[str, dict[str, VariantResult]] = {}

    async def settle(variant: TaskVariant) -> None:
        file = variant.kept_in(folder)
        if file.is_file():
            result = VariantResult.model_validate_json(file.read_bytes())
        else:
            async with places:
                given = await grade(variant.task, Submission({**variant.task.gold_files, **variant.files}))
            result = _result(variant, given)
            if result.check.holds:
                publish(file, result.model_dump_json(indent=2) + "\n")
            if tell is not None and variant.is_broken:
                tell(variant.task.id, variant.check.removeprefix(BROKEN), result.check.holds)
        results.setdefault(variant.task.id, {})[variant.check] = result

    await asyncio.gather(*map(settle, variants))
    return results


def unmet_rules(given: Grade) -> list[Verdict]:
    """What is not met beside the reference."""
    return [
        verdict for verdict in given.verdicts if verdict.status != "met" and verdict.item != "score.reference"
    ]


def _beats_reference(task: Task, given: Grade) -> bool:
    challenge = task.assay.challenge
    if challenge is None or challenge.reference is None or given.score is None:
        return False
    gain = given.score - challenge.reference
    return gain > 0 if challenge.direction == "higher" else gain < 0


def _result(variant: TaskVariant, given: Grade) -> VariantResult:
    caught = given.caught_by
    if caught is not None:
        evidence = f"{caught.item}: {caught.evidence}"
    else:
        evidence = "all items met" if given.passed else "nobody knows whether it passes"
    challenge = variant.task.assay.challenge
    if variant.check == BETTER and challenge is not None:
        evidence = f"score {given.score}, the reference is {challenge.reference}: {evidence}"
    check = CheckResult(holds=variant.is_right(given), evidence=nowhere(evidence))
    return VariantResult(task=variant.task.id, check=check, made_with=made_with([variant.task]))
