"""Each number its own verdict: re-made, compared with gold, also in runs whose gold the agent never saw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.grading.cleanroom import CleanRoom, Rerun
from assay.grading.fresh import SeedDraws
from assay.grading.verdict import Verdict
from assay.rules.results import grade_execution, grade_number, not_run
from assay.run_context import run_context
from assay.tasks import DEFAULT, Task, centre


async def grade_results(room: CleanRoom) -> list[Verdict]:
    """Verdicts on the plain run, on every variation, and on every metric of each."""
    plain = await room.rerun()
    verdicts = [execution(plain, room.task), *compare(room.task, plain, room.task.gold.get(DEFAULT, {}))]
    for variation in room.task.assay.variations:
        if plain.results is None:
            verdicts.append(Verdict.of(not_run(variation.name)))
            continue
        draws = run_context().part(SeedDraws)
        drawn_variation = draws.draw(room.task, variation)
        varied = await room.rerun(drawn_variation)
        gold = (
            await draws.gold(room.task, drawn_variation)
            if variation.fresh
            else room.task.gold[variation.name]
        )
        verdicts += [execution(varied, room.task), *compare(room.task, varied, gold)]
    return verdicts


def execution(rerun: Rerun, task: Task) -> Verdict:
    """Whether a run ended well and wrote its results and all other outputs of the task."""
    expected = task.assay.run.written if task.assay.run is not None else []
    account = f"exit 0 after {rerun.outcome.seconds:.1f} s, results written"
    account += f"; {rerun.trace.account}" if rerun.trace is not None else ""
    ruling = grade_execution(rerun.variation, rerun.problem, expected, rerun.outputs, rerun.hollow, account)
    return Verdict.of(ruling)


def compare(task: Task, rerun: Rerun, gold: Mapping[str, Sequence[float]]) -> list[Verdict]:
    """One verdict for each metric of one run."""
    verdicts = []
    for metric in task.assay.metrics:
        runs = gold[metric.name]
        ruling = grade_number(
            rerun.variation,
            metric.name,
            metric.path,
            centre(runs),
            metric.tolerance(runs),
            rerun.results,
            rerun.problem,
        )
        verdicts.append(Verdict.of(ruling))
    return verdicts
