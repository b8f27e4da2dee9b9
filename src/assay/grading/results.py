"""Each number its own verdict: re-made, compared with gold, also in runs whose gold the agent never saw."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from assay.grading.cleanroom import CleanRoom, Rerun
from assay.grading.fresh import draw, fresh_gold
from assay.grading.verdict import Verdict
from assay.tasks import DEFAULT, Metric, Task, centre, look_up


async def grade_results(room: CleanRoom) -> list[Verdict]:
    """Verdicts on the plain run, on every variation, and on every metric of each."""
    plain = await room.rerun()
    verdicts = [execution(plain, room.task), *compare(room.task, plain, room.task.gold.get(DEFAULT, {}))]
    for variation in room.task.assay.variations:
        if plain.results is None:
            # What cannot run plainly is not run again: the verdicts are known, and time is money.
            evidence = "not run, since the plain run failed"
            item = f"execution.{variation.name}"
            verdicts.append(Verdict(item=item, status="unmet", owner="agent", evidence=evidence))
            continue
        drawn = draw(room.task, variation)
        varied = await room.rerun(drawn)
        gold = await fresh_gold(room.task, drawn) if variation.fresh else room.task.gold[variation.name]
        verdicts += [execution(varied, room.task), *compare(room.task, varied, gold)]
    return verdicts


def execution(rerun: Rerun, task: Task) -> Verdict:
    """Whether a run ended well and wrote its results and all other outputs of the task."""
    item = f"execution.{rerun.variation}"
    wanted = task.assay.run.written if task.assay.run is not None else []
    missing = [path for path in wanted if path not in rerun.outputs]
    problem = rerun.problem or (f"the run ended well but wrote no {', '.join(missing)}" if missing else None)
    problem = problem or rerun.hollow
    if problem is not None:
        return Verdict(item=item, status="unmet", owner="agent", evidence=problem)
    evidence = f"exit 0 after {rerun.outcome.seconds:.1f} s, results written"
    evidence += f"; {rerun.trace.account}" if rerun.trace is not None else ""
    return Verdict(item=item, status="met", evidence=evidence)


def compare(task: Task, rerun: Rerun, gold: Mapping[str, Sequence[float]]) -> list[Verdict]:
    """One verdict for each metric of one run."""
    return [_compare(rerun, metric, gold[metric.name]) for metric in task.assay.metrics]


def comparison(got: float, gold: float, tolerance: float) -> str:
    """Two numbers with as many digits as show how far apart they are, and how far they may be."""
    apart = abs(got - gold)
    finest = min((each for each in (apart, tolerance) if each > 0 and math.isfinite(each)), default=0.0)
    largest = max((abs(each) for each in (got, gold) if math.isfinite(each)), default=0.0)
    digits = 6
    if finest > 0 and largest > 0:
        digits = min(max(6, math.floor(math.log10(largest)) - math.floor(math.log10(finest)) + 2), 17)
    text = f"re-made {got:.{digits}g}, gold {gold:.{digits}g} ± {tolerance:.2g}"
    return f"{text}, {apart:.2g} apart" if apart > tolerance and math.isfinite(apart) else text


def _compare(rerun: Rerun, metric: Metric, gold: Sequence[float]) -> Verdict:
    item = f"result.{rerun.variation}.{metric.name}"
    if rerun.results is None:
        return Verdict(item=item, status="unmet", owner="agent", evidence=f"no number: {rerun.problem}")
    try:
        got = look_up(rerun.results, metric.path)
    except KeyError as error:
        return Verdict(item=item, status="unmet", owner="agent", evidence=f"no number: {error.args[0]}")
    evidence = comparison(got, centre(gold), metric.tolerance(gold))
    if metric.agrees(gold, got):
        return Verdict(item=item, status="met", evidence=evidence)
    if rerun.variation != DEFAULT:
        evidence += " (a run the agent could not know)"
    return Verdict(item=item, status="unmet", owner="agent", evidence=evidence)
