"""Any repository made into certified masked tasks, by running it: no model, no hand-written metadata.

Steps, one module each: `repository` reads it, `gold` measures it, `tracer` watches it, `candidates` chooses,
`floor` finds what rounding does, `judge` proves each function by stub, fillings and mutants, `twins` looks
for copies, `folders` and `proving` write tasks and certificates.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.errors import Unmaskable
from assay.masking.dial import Selection
from assay.masking.experiment import Experiment
from assay.masking.leaks.twins import Twin, find_twins
from assay.masking.pipeline.bench import Bench, why_it_failed
from assay.masking.pipeline.candidates import (
    Candidate,
    executed,
    in_words,
    propose,
    without_given_away,
)
from assay.masking.pipeline.choice import choose, function_ids
from assay.masking.pipeline.floor import Floor, furthest, measure_floor, precision
from assay.masking.pipeline.folders import (
    instruction_of,
    with_proofs,
    write_certificate,
    write_experiment,
    write_tasks,
)
from assay.masking.pipeline.gold import Gold, measure_gold, with_tolerances
from assay.masking.pipeline.judge import ENOUGH_MUTANTS, Judge, Proof
from assay.masking.pipeline.measures import parse_wanted
from assay.masking.pipeline.proving import Made, certificate_of, explain_failure
from assay.masking.pipeline.record import record
from assay.masking.pipeline.repository import Repository, pin, read_repository, requirements_of
from assay.masking.pipeline.scrubbing import scrub_repository
from assay.masking.pipeline.tracer import reached_lines, trace
from assay.masking.pipeline.variation import find_variations
from assay.tasks import Mask
from assay.workspace import build_environment

__all__ = ["Made", "Making", "make_tasks"]

LEAST_RUNS = 5


@dataclass(frozen=True)
class Making:
    """What is asked for."""

    command: str
    metrics: Sequence[str]
    requirements: Sequence[str] = ()
    """Packages or files that list them; none takes what the repository says."""
    paper_id: str | None = None
    runs: int = LEAST_RUNS
    seconds: float = 120.0
    """The limit on one run."""
    vary: Sequence[str] = ()
    vary_arguments: Sequence[str] = ()
    functions: int = 8
    """At most so many candidates are put to the proof."""
    mutants: int = 20
    mutant_seconds: float = 60.0
    """How long the mutants of one function may take in all."""
    selection: Selection = field(default_factory=Selection)
    """How many functions are masked together (one unless said), and which; its seed orders the mutants."""
    scrub: bool = False
    tell: Callable[[str], None] = field(default=lambda line: None)


def make_tasks(repository: Path, out: Path, making: Making) -> Made:
    """Write `out`/experiment and `out`/tasks; raises `Unmaskable` where no sound task can be made."""
    if making.runs < LEAST_RUNS:
        raise Unmaskable(
            f"{making.runs} gold runs tell too little of the noise, expected {LEAST_RUNS} or more"
        )
    if out.exists() and any(out.iterdir()):
        raise Unmaskable(f"{out} is not empty, expected a new folder", hint="name another with --out")
    return asyncio.run(_make(read_repository(repository), out, making))


async def _make(found: Repository, out: Path, making: Making) -> Made:
    bench, gold = await _measure(found, making)
    traced = await trace(bench)
    ratio = traced.seconds / gold.seconds
    making.tell(
        f"trace: {len(traced.functions)} functions executed, {len(traced.flows)} flows between them; "
        f"{traced.seconds:.2f} s, {ratio:.1f} times the plain run"
    )
    functions = executed(bench.files, traced)
    reached = await reached_lines(bench, [defined for defined, _ in functions])
    candidates, left_out = propose(functions, reached, making.functions)
    making.tell(
        f"candidates: {len(candidates)}, and {len(left_out)} functions that are none ({in_words(left_out)})"
    )
    floors, ungradable = await measure_floor(bench, gold, candidates)
    candidates = [each for each in candidates if each.name not in ungradable]
    left_out |= ungradable
    if not candidates:
        raise Unmaskable("no executed function is worth masking", hint=_first(left_out))
    taken: list[str] = []
    if making.scrub:
        places = [each.defined.place for each in candidates]
        files, taken = scrub_repository(bench.files, places, set(traced.functions))
        bench = dataclasses.replace(bench, files=files)
        await _expect_it_runs(bench, taken)
    twins = await asyncio.to_thread(_twins, bench, candidates)
    candidates, given_away = without_given_away(candidates, twins)
    left_out |= given_away
    if not candidates:
        raise Unmaskable(
            f"every candidate is given away: {_first(given_away)}",
            hint="--scrub leaves out documents, archives and other files that hold a body",
        )
    kept = {each.name: floors[each.name] for each in candidates}
    experiment, files = _experiment(found, bench, gold, candidates, kept, making, traced.epsilon)
    proofs = await _prove(bench, experiment, files, candidates, gold, reached, making)
    sound = [each for each in proofs if each.flaw is None]
    left_out |= {each.candidate.name: each.flaw for each in proofs if each.flaw is not None}
    if not sound:
        raise explain_failure(experiment, gold, proofs)
    names = [each.candidate.name for each in sound]
    drawn = choose(experiment.paper_id, names, traced.flows, making.selection)
    experiment, files = with_proofs(experiment, files, sound, function_ids(drawn))
    said = record(gold, traced, ratio, left_out, floors, proofs, twins, taken, experiment)
    write_experiment(out / "experiment", experiment, files, said)
    written = write_tasks(out / "tasks", experiment, files, drawn)
    made = Made(written, [], sound, left_out, ratio, twins, drawn, floors)
    for folder, task in written.items():
        certificate = await certificate_of(task, bench, gold, made)
        write_certificate(folder, certificate)
        made.certificates.append(certificate)
        making.tell(f"task {task.id}: {'certified' if certificate.sound else 'NOT SOUND'}")
    return made


def _twins(bench: Bench, candidates: Sequence[Candidate]) -> list[Twin]:
    environment = build_environment(bench.requirements) if bench.requirements else None
    return find_twins([each.defined.place for each in candidates], bench.files, environment)


async def _expect_it_runs(bench: Bench, taken: Sequence[str]) -> None:
    """Raise where the run needs what was taken out."""
    problem = why_it_failed(await bench.run())
    if problem is not None:
        raise Unmaskable(
            f"the run needs what gives its functions away: without it, it {problem}",
            hint=f"taken out: {'; '.join(taken[:3])}",
        )


async def _without_artefacts(bench: Bench, found: Repository, making: Making) -> Bench:
    """The bench as it is where the run does without what builds have left, else with that."""
    if not found.artefacts:
        return bench
    count = f"{len(found.artefacts)} files that builds have left (dist/, *.egg-info and the like)"
    whole = dataclasses.replace(bench, files={**bench.files, **found.artefacts})
    if why_it_failed(await bench.run()) is not None and why_it_failed(await whole.run()) is None:
        making.tell(f"workspace: kept {count}, since the run needs them")
        return whole
    making.tell(f"workspace: left out {count}")
    return bench


async def _measure(found: Repository, making: Making) -> tuple[Bench, Gold]:
    wanted = parse_wanted(making.metrics)
    variations, data = find_variations(found, making.command, making.vary, making.vary_arguments)
    asked = requirements_of(found, list(making.requirements))
    making.tell(f"environment: {', '.join(asked) or 'plain Python'}")
    requirements = pin(asked)
    # A results file that came with the repository would give the numbers away.
    given = {each.file for each in wanted}
    files = {path: content for path, content in found.files.items() if path not in given}
    bench = Bench(files, making.command, requirements, making.seconds, data=data)
    bench = await _without_artefacts(bench, found, making)
    gold = await measure_gold(bench, wanted, variations, making.runs, making.tell)
    limit = max(10.0, math.ceil(6 * gold.slowest))
    gold = dataclasses.replace(gold, run=gold.run.model_copy(update={"seconds": float(limit)}))
    making.tell(
        f"gold: {len(gold.metrics)} numbers, {gold.seconds:.2f} s a run, "
        f"{len(gold.variations)} hidden variations"
    )
    return dataclasses.replace(bench, seconds=float(limit)), gold


def _experiment(
    found: Repository,
    bench: Bench,
    gold: Gold,
    candidates: Sequence[Candidate],
    floors: dict[str, Floor],
    making: Making,
    epsilon: float,
) -> tuple[Experiment, dict[str, bytes]]:
    """The experiment with every candidate as a function, before any is proved."""
    name = making.paper_id or found.name
    places = [each.defined.place for each in candidates]
    experiment = Experiment(
        paper_id=name,
        title=f"{found.name}: {making.command}"[:120],
        requirements=bench.requirements,
        run=gold.run,
        metrics=with_tolerances(gold, furthest(floors.values()), precision(floors.values(), epsilon)),
        variations=gold.variations,
        functions=[Mask(file=place.file, function=place.function) for place in places],
        tasks=[[number] for number in range(len(places))],
    )
    files = {f"code/{path}": data for path, data in bench.files.items()}
    files["instruction.md"] = instruction_of(found.name, making.command, experiment.metrics).encode()
    files["results.json"] = json.dumps(gold.numbers, indent=2).encode() + b"\n"
    for variation in gold.variations:
        if variation.data is not None:
            files[variation.data] = bench.data[variation.name].read_bytes()
    return experiment, files


async def _prove(
    bench: Bench,
    experiment: Experiment,
    files: dict[str, bytes],
    candidates: Sequence[Candidate],
    gold: Gold,
    reached: Mapping[str, frozenset[int]],
    making: Making,
) -> list[Proof]:
    judge = Judge(
        bench=bench,
        experiment=experiment,
        files=files,
        wanted=making.mutants,
        seconds=max(making.mutant_seconds, ENOUGH_MUTANTS * gold.slowest),
        quick=max(5.0, 4 * gold.slowest),
        reached=reached,
        seed=making.selection.seed,
    )
    # Two functions at a time on two cores: while one waits for the last of a batch, the other goes on.
    places = asyncio.Semaphore(os.cpu_count() or 1)

    async def prove(number: int, candidate: Candidate) -> Proof:
        async with places:
            proof = await judge.prove(number, candidate)
        score = "no mutants" if proof.score is None else f"{proof.score:.0%} of mutants rejected"
        making.tell(f"proof: {candidate.name}: {proof.flaw or score}")
        return proof

    return await asyncio.gather(*(prove(number, each) for number, each in enumerate(candidates)))


def _first(reasons: dict[str, str]) -> str | None:
    return "; ".join(f"{name}: {why}" for name, why in list(reasons.items())[:3]) or None
