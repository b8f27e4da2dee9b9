"""Each number its own verdict: re-made, compared with gold, also in runs whose gold the agent never saw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.grading.cleanroom import CleanRoom, Rerun
from assay.grading.conclusion_numbers import why_not_rested_on
from assay.grading.fresh import SeedDraws
from assay.grading.verdict import Verdict
from assay.rules.remade import leaves
from assay.rules.results import grade_execution, grade_number, not_run
from assay.run_context import run_context
from assay.tasks import DEFAULT, Task, centre


async def grade_results(room: CleanRoom) -> list[Verdict]:
    """Verdicts on the plain run, on every variation, and on every metric of each."""
    plain = await room.rerun()
    verdicts = [
        execution(plain, room.task, await why_not_rested_on(room, plain)),
        *compare(room.task, plain, room.task.gold.get(DEFAULT, {})),
    ]
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


def execution(rerun: Rerun, task: Task, unrested: str | None = None) -> Verdict:
    """Whether a run ended well, computed something, and wrote its results and all other outputs of the task.

    `unrested` says why the conclusion does not rest on this run.
    """
    expected = task.assay.run.written if task.assay.run is not None else []
    hollow = rerun.hollow or unrested
    ruling = grade_execution(
        rerun.variation,
        rerun.problem,
        expected,
        rerun.outputs,
        rerun.outcome.refused,
        hollow,
        account_of(rerun, task),
    )
    return Verdict.of(ruling)


def account_of(rerun: Rerun, task: Task) -> str:
    """What a run did, in one sentence: what it executed and called, how long, and what it wrote."""
    run, outcome = task.assay.run, rerun.outcome
    parts = [f"exit 0 after {outcome.seconds:.1f} s, results written"]
    parts += [rerun.trace.account] if rerun.trace is not None else []
    parts += [f"{outcome.cpu_seconds:.1f} s of processor time"] if outcome.cpu_seconds is not None else []
    count = len(leaves(rerun.results))
    parts += [f"wrote {run.results} ({count} numbers)"] if run is not None and run.results else []
    return "; ".join(parts)


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
