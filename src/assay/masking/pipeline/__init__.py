"""Turns any repository into certified masked tasks by running it, without a model or hand-written metadata.

Steps, one module each: `repository` reads the files, `measuring` and `gold` measure the results, `searching`
finds functions (with `tracer`, `candidates`, `near_copies` and `floor`), `judge` proves each function by
stub, fillings and mutants, `folders` and `proving` write tasks and certificates. `partial_results` keeps
what a stopped call has measured.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path

from assay.errors import OutOfTime, Unmaskable
from assay.masking.experiment import Experiment
from assay.masking.pipeline.candidates import MaskCandidate
from assay.masking.pipeline.certifying import certify_tasks
from assay.masking.pipeline.choice import choose_tasks, function_ids
from assay.masking.pipeline.descriptions import guessed_functions, instruction_of
from assay.masking.pipeline.floor import largest_moves, precision
from assay.masking.pipeline.folders import with_proofs, write_experiment, write_tasks
from assay.masking.pipeline.gold import with_tolerances
from assay.masking.pipeline.guessable import guessable_numbers
from assay.masking.pipeline.judge import ENOUGH_MUTANTS, FunctionProof, FunctionProver
from assay.masking.pipeline.measuring import measure
from assay.masking.pipeline.options import MIN_RUNS, MaskingOptions
from assay.masking.pipeline.partial_results import PartialResults
from assay.masking.pipeline.proving import MaskingResult, explain_failure
from assay.masking.pipeline.record import making_record
from assay.masking.pipeline.repository import Repository, read_repository
from assay.masking.pipeline.searching import MaskingSearch, search_functions
from assay.masking.pipeline.time_left import TimeLeft
from assay.masking.pipeline.unread_files import without_unread_files
from assay.tasks import Mask

__all__ = ["MaskingOptions", "MaskingResult", "make_tasks"]


def make_tasks(repository: Path, out: Path, options: MaskingOptions) -> MaskingResult:
    """Write `out`/experiment and `out`/tasks; raise `Unmaskable` if no sound task is possible.

    The same call after an interruption continues: gold runs and finished proofs are kept in `out`/partial.
    """
    options.check()
    if options.runs < MIN_RUNS:
        raise Unmaskable(
            f"{options.runs} gold runs tell too little of the noise, expected {MIN_RUNS} or more"
        )
    code = read_repository(repository)
    partial = PartialResults.open(out, code, options)
    try:
        return asyncio.run(_make(code, out, options, partial))
    except OutOfTime:
        raise
    except Unmaskable:
        # The reason would be the same again, and an empty folder can be used for another try.
        partial.remove()
        raise


async def _make(
    repository: Repository, out: Path, options: MaskingOptions, partial: PartialResults
) -> MaskingResult:
    start = time.monotonic()
    bench, gold = await measure(repository, options, partial)
    bench = await without_unread_files(bench, gold, options)
    search = await search_functions(bench, gold, options, partial)
    experiment, files = _experiment(repository, search)
    proofs = await _prove(search, experiment, files, partial, start)
    search.refuse({proof.candidate.name: proof.flaw for proof in proofs if proof.flaw is not None})
    names = {candidate.name for candidate in search.candidates}
    sound_proofs = [proof for proof in proofs if proof.candidate.name in names]
    if not sound_proofs and any(proof.flaw == _time_is_over(options) for proof in proofs):
        raise OutOfTime(
            f"{options.minutes:.1f} minutes are too few to prove a function",
            hint="the same command with more --minutes continues",
        )
    if not sound_proofs:
        raise explain_failure(experiment, gold, proofs)
    proved_names = [proof.candidate.name for proof in sound_proofs]
    manifest = choose_tasks(
        experiment.paper_id, proved_names, search.traced.flows, options.selection, search.groups
    )
    experiment, files = with_proofs(experiment, files, sound_proofs, function_ids(manifest))
    guessed = guessed_functions(
        search.bench.files, sound_proofs, files["instruction.md"].decode(), bool(options.tests)
    )
    for name, reason in guessed.items():
        options.report(f"warning: {name} can only be guessed: {reason}")
    write_experiment(
        out / "experiment", experiment, files, making_record(search, proofs, experiment, guessed)
    )
    tasks = write_tasks(out / "tasks", experiment, files, manifest)
    result = MaskingResult(
        tasks, [], sound_proofs, search.left_out, search.ratio, search.twins, manifest, search.floors, guessed
    )
    await certify_tasks(result, search.bench, gold, options.report)
    partial.remove()
    return result


def _experiment(repository: Repository, search: MaskingSearch) -> tuple[Experiment, dict[str, bytes]]:
    """Return the experiment with every candidate as a function, before the proofs."""
    gold, options, bench = search.gold, search.options, search.bench
    places = [candidate.defined.place for candidate in search.candidates]
    floors = [search.floors[candidate.name] for candidate in search.candidates]
    experiment = Experiment(
        paper_id=options.paper_id or repository.name,
        title=f"{repository.name}: {bench.command}"[:120],
        requirements=bench.requirements,
        run=gold.run,
        metrics=with_tolerances(gold, largest_moves(floors), precision(floors, search.traced.epsilon)),
        variations=gold.variations,
        functions=[Mask(file=place.file, function=place.function) for place in places],
        tasks=[[number] for number in range(len(places))],
    )
    files = {f"code/{path}": data for path, data in bench.files.items()}
    files["instruction.md"] = instruction_of(repository.name, bench, gold, options).encode()
    files["results.json"] = json.dumps(gold.numbers, indent=2).encode() + b"\n"
    for variation in gold.variations:
        if variation.data is not None:
            files[variation.data] = bench.data[variation.name].read_bytes()
    return experiment, files


async def _prove(
    search: MaskingSearch,
    experiment: Experiment,
    files: Mapping[str, bytes],
    partial: PartialResults,
    start: float,
) -> list[FunctionProof]:
    options, gold = search.options, search.gold
    prover = FunctionProver(
        bench=search.bench,
        experiment=experiment,
        files=dict(files),
        mutant_count=options.mutants,
        seconds=max(options.mutant_seconds, ENOUGH_MUTANTS * gold.slowest),
        mutant_seconds=max(5.0, 4 * gold.slowest),
        reached=search.reached,
        seed=options.selection.seed,
        run_is_tests=bool(options.tests),
        guessable=frozenset() if options.tests else guessable_numbers(gold),
    )
    # Two functions at a time on two cores: while one waits for the last of a batch, the other continues.
    processes = options.processes or os.cpu_count() or 1
    semaphore = asyncio.Semaphore(processes)
    time_left = TimeLeft(len(search.candidates), gold.seconds, options.mutants, processes)
    options.report(time_left.estimate())
    sound_count = 0

    async def prove(number: int, candidate: MaskCandidate) -> FunctionProof:
        nonlocal sound_count
        async with semaphore:
            proof = partial.proof(candidate, experiment)
            if proof is None:
                if (reason := _why_not_proved(options, sound_count, start)) is not None:
                    return FunctionProof(candidate, "", flaw=reason)
                proof = await prover.prove(number, candidate)
                partial.save_proof(proof, experiment)
        sound_count += proof.flaw is None
        score = "no mutants" if proof.score is None else f"{proof.score:.0%} of mutants rejected"
        options.report(f"proof {time_left.finish_one()}: {candidate.name}: {proof.flaw or score}")
        return proof

    numbered = list(enumerate(search.candidates))
    if options.proved_limit is not None or options.minutes is not None:
        numbered.sort(key=lambda entry: entry[1].distance_from_middle)
    proofs = await asyncio.gather(*(prove(number, candidate) for number, candidate in numbered))
    return sorted(proofs, key=lambda proof: proof.candidate.name)


def _why_not_proved(options: MaskingOptions, sound_count: int, start: float) -> str | None:
    """Return why no further proof starts, or None."""
    if options.proved_limit is not None and sound_count >= options.proved_limit:
        return f"not tried: {sound_count} functions are enough (--enough)"
    if options.minutes is not None and time.monotonic() - start > 60 * options.minutes:
        return _time_is_over(options)
    return None


def _time_is_over(options: MaskingOptions) -> str:
    return f"not tried: the {options.minutes or 0:.1f} minutes are over (--minutes)"
