"""Turns any repository into certified masked tasks by running it, without a model or hand-written metadata.

Steps, one module each: `repository` reads the files, `gold` measures the results, `tracer` watches the
functions, `candidates` chooses functions, `floor` measures the effect of rounding, `judge` proves each
function by stub, fillings and mutants, `twins` finds copies, `folders` and `proving` write tasks and
certificates.
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
from assay.masking.pipeline.bench import RepositoryRunner, failure_reason
from assay.masking.pipeline.candidates import (
    MaskCandidate,
    executed_functions,
    propose,
    summarize_reasons,
    without_leaked,
)
from assay.masking.pipeline.choice import choose_tasks, function_ids
from assay.masking.pipeline.floor import Floor, largest_moves, measure_floor, precision
from assay.masking.pipeline.folders import (
    instruction_of,
    with_proofs,
    write_certificate,
    write_experiment,
    write_tasks,
)
from assay.masking.pipeline.gold import GoldRuns, measure_gold, with_tolerances
from assay.masking.pipeline.judge import ENOUGH_MUTANTS, FunctionProof, FunctionProver
from assay.masking.pipeline.measures import parse_metric_requests
from assay.masking.pipeline.proving import MaskingResult, certificate_of, explain_failure
from assay.masking.pipeline.record import making_record
from assay.masking.pipeline.repository import Repository, pin, read_repository, requirements_of
from assay.masking.pipeline.scrubbing import scrub_repository
from assay.masking.pipeline.tracer import reached_lines, trace
from assay.masking.pipeline.variation import find_variations
from assay.tasks import Mask
from assay.workspace import build_environment

__all__ = ["MaskingOptions", "MaskingResult", "make_tasks"]

MIN_RUNS = 5


@dataclass(frozen=True)
class MaskingOptions:
    """The options of `assay mask`."""

    command: str
    metrics: Sequence[str]
    requirements: Sequence[str] = ()
    """Packages or files that list them; empty for the requirements of the repository."""
    paper_id: str | None = None
    runs: int = MIN_RUNS
    seconds: float = 120.0
    """Time limit of one run."""
    vary: Sequence[str] = ()
    vary_arguments: Sequence[str] = ()
    functions: int = 8
    """Largest number of candidates to prove."""
    mutants: int = 20
    mutant_seconds: float = 60.0
    """Total time for the mutants of one function."""
    selection: Selection = field(default_factory=Selection)
    """How many functions a task masks together (default one), and which; its seed orders the mutants."""
    scrub: bool = False
    report: Callable[[str], None] = field(default=lambda line: None)


def make_tasks(repository: Path, out: Path, options: MaskingOptions) -> MaskingResult:
    """Write `out`/experiment and `out`/tasks; raise `Unmaskable` if no sound task is possible."""
    if options.runs < MIN_RUNS:
        raise Unmaskable(
            f"{options.runs} gold runs tell too little of the noise, expected {MIN_RUNS} or more"
        )
    if out.exists() and any(out.iterdir()):
        raise Unmaskable(f"{out} is not empty, expected a new folder", hint="name another with --out")
    return asyncio.run(_make(read_repository(repository), out, options))


async def _make(repository: Repository, out: Path, options: MaskingOptions) -> MaskingResult:
    bench, gold = await _measure(repository, options)
    traced = await trace(bench)
    ratio = traced.seconds / gold.seconds
    options.report(
        f"trace: {len(traced.functions)} functions executed, {len(traced.flows)} flows between them; "
        f"{traced.seconds:.2f} s, {ratio:.1f} times the plain run"
    )
    functions = executed_functions(bench.files, traced)
    reached = await reached_lines(bench, [defined for defined, _ in functions])
    candidates, left_out = propose(functions, reached, options.functions)
    options.report(
        f"candidates: {len(candidates)}, and {len(left_out)} functions that are none "
        f"({summarize_reasons(left_out)})"
    )
    floors, ungradable = await measure_floor(bench, gold, candidates)
    candidates = [candidate for candidate in candidates if candidate.name not in ungradable]
    left_out |= ungradable
    if not candidates:
        raise Unmaskable("no executed function is worth masking", hint=_first_reasons(left_out))
    removed: list[str] = []
    if options.scrub:
        places = [candidate.defined.place for candidate in candidates]
        files, removed = scrub_repository(bench.files, places, set(traced.functions))
        bench = dataclasses.replace(bench, files=files)
        await _check_run(bench, removed)
    twins = await asyncio.to_thread(_twins, bench, candidates)
    candidates, leaked = without_leaked(candidates, twins)
    left_out |= leaked
    if not candidates:
        raise Unmaskable(
            f"every candidate is given away: {_first_reasons(leaked)}",
            hint="--scrub leaves out documents, archives and other files that hold a body",
        )
    kept_floors = {candidate.name: floors[candidate.name] for candidate in candidates}
    experiment, files = _experiment(repository, bench, gold, candidates, kept_floors, options, traced.epsilon)
    proofs = await _prove(bench, experiment, files, candidates, gold, reached, options)
    sound_proofs = [proof for proof in proofs if proof.flaw is None]
    left_out |= {proof.candidate.name: proof.flaw for proof in proofs if proof.flaw is not None}
    if not sound_proofs:
        raise explain_failure(experiment, gold, proofs)
    names = [proof.candidate.name for proof in sound_proofs]
    manifest = choose_tasks(experiment.paper_id, names, traced.flows, options.selection)
    experiment, files = with_proofs(experiment, files, sound_proofs, function_ids(manifest))
    making = making_record(gold, traced, ratio, left_out, floors, proofs, twins, removed, experiment)
    write_experiment(out / "experiment", experiment, files, making)
    tasks = write_tasks(out / "tasks", experiment, files, manifest)
    result = MaskingResult(tasks, [], sound_proofs, left_out, ratio, twins, manifest, floors)
    for folder, task in tasks.items():
        certificate = await certificate_of(task, bench, gold, result)
        write_certificate(folder, certificate)
        result.certificates.append(certificate)
        options.report(f"task {task.id}: {'certified' if certificate.sound else 'NOT SOUND'}")
    return result


def _twins(bench: RepositoryRunner, candidates: Sequence[MaskCandidate]) -> list[Twin]:
    environment = build_environment(bench.requirements) if bench.requirements else None
    return find_twins([candidate.defined.place for candidate in candidates], bench.files, environment)


async def _check_run(bench: RepositoryRunner, removed: Sequence[str]) -> None:
    """Raise if the run needs the removed files."""
    problem = failure_reason(await bench.run())
    if problem is not None:
        raise Unmaskable(
            f"the run needs what gives its functions away: without it, it {problem}",
            hint=f"taken out: {'; '.join(removed[:3])}",
        )


async def _without_artefacts(
    bench: RepositoryRunner, repository: Repository, options: MaskingOptions
) -> RepositoryRunner:
    """Return the runner without build artefacts if the run works without them, else with them."""
    if not repository.artefacts:
        return bench
    count = f"{len(repository.artefacts)} files that builds have left (dist/, *.egg-info and the like)"
    with_artefacts = dataclasses.replace(bench, files={**bench.files, **repository.artefacts})
    if failure_reason(await bench.run()) is not None and failure_reason(await with_artefacts.run()) is None:
        options.report(f"workspace: kept {count}, since the run needs them")
        return with_artefacts
    options.report(f"workspace: left out {count}")
    return bench


async def _measure(repository: Repository, options: MaskingOptions) -> tuple[RepositoryRunner, GoldRuns]:
    metric_requests = parse_metric_requests(options.metrics)
    variations, data = find_variations(repository, options.command, options.vary, options.vary_arguments)
    requested_packages = requirements_of(repository, list(options.requirements))
    options.report(f"environment: {', '.join(requested_packages) or 'plain Python'}")
    requirements = pin(requested_packages)
    # A results file of the repository would reveal the numbers.
    results_files = {request.file for request in metric_requests}
    files = {path: content for path, content in repository.files.items() if path not in results_files}
    bench = RepositoryRunner(files, options.command, requirements, options.seconds, data=data)
    bench = await _without_artefacts(bench, repository, options)
    gold = await measure_gold(bench, metric_requests, variations, options.runs, options.report)
    limit = max(10.0, math.ceil(6 * gold.slowest))
    gold = dataclasses.replace(gold, run=gold.run.model_copy(update={"seconds": float(limit)}))
    options.report(
        f"gold: {len(gold.metrics)} numbers, {gold.seconds:.2f} s a run, "
        f"{len(gold.variations)} hidden variations"
    )
    return dataclasses.replace(bench, seconds=float(limit)), gold


def _experiment(
    repository: Repository,
    bench: RepositoryRunner,
    gold: GoldRuns,
    candidates: Sequence[MaskCandidate],
    floors: dict[str, Floor],
    options: MaskingOptions,
    epsilon: float,
) -> tuple[Experiment, dict[str, bytes]]:
    """Return the experiment with every candidate as a function, before the proofs."""
    name = options.paper_id or repository.name
    places = [candidate.defined.place for candidate in candidates]
    experiment = Experiment(
        paper_id=name,
        title=f"{repository.name}: {options.command}"[:120],
        requirements=bench.requirements,
        run=gold.run,
        metrics=with_tolerances(gold, largest_moves(floors.values()), precision(floors.values(), epsilon)),
        variations=gold.variations,
        functions=[Mask(file=place.file, function=place.function) for place in places],
        tasks=[[number] for number in range(len(places))],
    )
    files = {f"code/{path}": data for path, data in bench.files.items()}
    files["instruction.md"] = instruction_of(repository.name, options.command, experiment.metrics).encode()
    files["results.json"] = json.dumps(gold.numbers, indent=2).encode() + b"\n"
    for variation in gold.variations:
        if variation.data is not None:
            files[variation.data] = bench.data[variation.name].read_bytes()
    return experiment, files


async def _prove(
    bench: RepositoryRunner,
    experiment: Experiment,
    files: dict[str, bytes],
    candidates: Sequence[MaskCandidate],
    gold: GoldRuns,
    reached: Mapping[str, frozenset[int]],
    options: MaskingOptions,
) -> list[FunctionProof]:
    judge = FunctionProver(
        bench=bench,
        experiment=experiment,
        files=files,
        mutant_count=options.mutants,
        seconds=max(options.mutant_seconds, ENOUGH_MUTANTS * gold.slowest),
        mutant_seconds=max(5.0, 4 * gold.slowest),
        reached=reached,
        seed=options.selection.seed,
    )
    # Two functions at a time on two cores: while one waits for the last of a batch, the other continues.
    semaphore = asyncio.Semaphore(os.cpu_count() or 1)

    async def prove(number: int, candidate: MaskCandidate) -> FunctionProof:
        async with semaphore:
            proof = await judge.prove(number, candidate)
        score = "no mutants" if proof.score is None else f"{proof.score:.0%} of mutants rejected"
        options.report(f"proof: {candidate.name}: {proof.flaw or score}")
        return proof

    return await asyncio.gather(*(prove(number, candidate) for number, candidate in enumerate(candidates)))


def _first_reasons(reasons_by_name: dict[str, str]) -> str | None:
    return "; ".join(f"{name}: {reason}" for name, reason in list(reasons_by_name.items())[:3]) or None
