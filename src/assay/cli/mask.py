"""assay mask: any repository turned into certified masked tasks, by running it."""

from __future__ import annotations

import itertools
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from assay.cli.mask_options import (
    ArgumentVariations,
    EnoughFunctions,
    ExcludePatterns,
    Full,
    FunctionsAtOnce,
    GoldRuns,
    KeptFiles,
    MetricPlaces,
    MostCandidates,
    MostMinutes,
    MutantCount,
    NumberMeaning,
    OnlyPatterns,
    OutFolder,
    PaperFile,
    PaperId,
    ParallelRuns,
    RepositoryFolder,
    Requirements,
    RunCommand,
    RunSeconds,
    SampleSeed,
    Scrub,
    TaskSample,
    TestPlaces,
    TestSeconds,
    Variations,
)
from assay.cli.options import AsJson, print_json

if TYPE_CHECKING:
    from assay.masking.pipeline import MaskingResult


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(mask)


def mask(
    repository: RepositoryFolder,
    out: OutFolder,
    run: RunCommand = "",
    metrics: MetricPlaces = None,
    tests: TestPlaces = None,
    test_seconds: TestSeconds = 2.0,
    requirements: Requirements = None,
    paper_id: PaperId = None,
    paper: PaperFile = None,
    describe: NumberMeaning = None,
    vary: Variations = None,
    vary_arg: ArgumentVariations = None,
    n: FunctionsAtOnce = "1",
    sample: TaskSample = None,
    seed: SampleSeed = 0,
    runs: GoldRuns = 5,
    seconds: RunSeconds = 120.0,
    include: OnlyPatterns = None,
    exclude: ExcludePatterns = None,
    functions: MostCandidates = 8,
    proved_limit: EnoughFunctions = None,
    minutes: MostMinutes = None,
    mutants: MutantCount = 20,
    processes: ParallelRuns = None,
    scrub: Scrub = False,
    keep: KeptFiles = None,
    full: Full = False,
    json: AsJson = False,
) -> None:
    """Turn a repository into certified masked tasks, by running it."""
    from assay.api.making import mask as mask_repository
    from assay.cli.progress import Counter

    start, counter = time.monotonic(), Counter()
    result = mask_repository(
        repository,
        out,
        command=run,
        metrics=metrics or (),
        tests=tests or (),
        test_seconds=test_seconds,
        paper=paper,
        describe=describe,
        include=include or (),
        exclude=exclude or (),
        proved_limit=proved_limit,
        minutes=minutes,
        processes=processes,
        requirements=requirements or (),
        paper_id=paper_id,
        vary=vary or (),
        vary_arguments=vary_arg or (),
        n=n,
        sample=sample,
        seed=seed,
        runs=runs,
        seconds=seconds,
        functions=functions,
        mutants=mutants,
        scrub=scrub,
        keep=keep or (),
        full=full,
        on_step=lambda line: print(line, file=sys.stderr),
        on_plan=counter.announce,
        on_finish=counter.tell,
    )
    _tell(result, out, time.monotonic() - start, json)
    if not all(certificate.sound for certificate in result.certificates):
        raise typer.Exit(1)


def _tell(result: MaskingResult, out: Path, elapsed: float, as_json: bool) -> None:
    if as_json:
        print_json(_summary(result, elapsed))
    else:
        _print(result, out, elapsed)


def _summary(result: MaskingResult, elapsed: float) -> dict[str, object]:
    return {
        "tasks": [
            {
                "id": task.id,
                "folder": str(folder),
                "flow": result.manifest.flows.get(task.id),
                "certified": certificate.sound,
                "flaws": {
                    name: check.evidence for name, check in certificate.checks.items() if not check.holds
                },
            }
            for (folder, task), certificate in zip(result.tasks.items(), result.certificates, strict=True)
        ],
        "functions": {
            proof.candidate.name: {
                "mutation_score": proof.score,
                "rejected": proof.count("rejected"),
                "survived": proof.count("survived"),
            }
            for proof in result.proofs
        },
        "left_out": result.left_out,
        "guessed": result.guessed,
        "trace_ratio": round(result.trace_ratio, 2),
        "seconds": round(elapsed, 1),
    }


def _print(result: MaskingResult, out: Path, elapsed: float) -> None:
    by_reason = sorted(result.left_out, key=result.left_out.__getitem__)
    for why, group in itertools.groupby(by_reason, result.left_out.__getitem__):
        names = list(group)
        and_more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        print(f"left out  {', '.join(names[:3])}{and_more}: {why}")
    for proof in result.proofs:
        alive = proof.count("rejected") + proof.count("survived")
        print(f"masked    {proof.candidate.name}: {proof.count('rejected')} of {alive} mutants rejected")
    for name, reason in result.guessed.items():
        print(f"warning   {name} can only be guessed: {reason}")
    for certificate in result.certificates:
        flaws = [f"{name}: {check.evidence}" for name, check in certificate.checks.items() if not check.holds]
        flow = result.manifest.flows.get(certificate.task)
        flow_note = f", data flow: {flow}" if flow else ""
        print(f"task      {certificate.task}: {'certified' if certificate.sound else 'NOT SOUND'}{flow_note}")
        for flaw in flaws:
            print(f"          {flaw}")
    sound = sum(check.sound for check in result.certificates)
    print(
        f"{sound} of {len(result.certificates)} tasks certified in {elapsed:.0f} s "
        f"({elapsed / len(result.certificates):.0f} s a task): {out / 'tasks'}"
    )
