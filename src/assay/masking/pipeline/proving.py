"""Writes the certificate of a new task, and explains why none is possible."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.certification.proof import ORACLE_RUNS, noise
from assay.errors import Unmaskable
from assay.grading import grade
from assay.masking.dial import SampleManifest
from assay.masking.experiment import Experiment
from assay.masking.leaks.near_twins import Twin
from assay.masking.pipeline.bench import RepositoryRunner
from assay.masking.pipeline.floor import Floor, describe_move
from assay.masking.pipeline.gold import GoldRuns
from assay.masking.pipeline.judge import ENOUGH_MUTANTS, FunctionProof, survivors
from assay.rules.numbers import prediction_half_width
from assay.tasks import DEFAULT, Certificate, CheckResult, Task, centre
from assay.version import __version__
from assay.workspace import Submission

FIXED_SEED_CHEAT = "cheat-fixed-seed"
"""Submits right code that ignores two variables; if the seed is an argument, that is simply right code."""
MIN_NOISE = 1e-3
"""A smaller share of noise is not mentioned."""


@dataclass(frozen=True)
class MaskingResult:
    """The tasks made from a repository, with their proofs."""

    tasks: dict[Path, Task]
    certificates: list[Certificate]
    proofs: list[FunctionProof]
    left_out: dict[str, str]
    """Function -> why no task masks it."""
    trace_ratio: float
    """Duration of the traced run over that of the plain one."""
    twins: list[Twin]
    manifest: SampleManifest
    """The drawn tasks, with the data-flow difficulty of each."""
    floors: dict[str, Floor]
    """Function -> effect of moving its outputs by one part in 10⁷."""
    guessed: dict[str, str] = field(default_factory=dict)
    """Function -> what of its body is written nowhere else."""


async def certificate_of(
    task: Task, bench: RepositoryRunner, gold: GoldRuns, result: MaskingResult
) -> Certificate:
    """Grade oracle and idle now; take fillings and mutants from the proofs of each function.

    A mutant over the gold of all masked functions is the same code for every choice of other functions.
    """

    async def passes(submission: Submission) -> tuple[bool | None, str]:
        async with bench.gate:
            result_grade = await grade(task, submission)
        return (
            result_grade.passed,
            f"{result_grade.caught_by.item}: {result_grade.caught_by.evidence}"
            if result_grade.caught_by
            else "all met",
        )

    *oracle, idle = await asyncio.gather(
        *(passes(Submission(task.gold_files)) for _ in range(ORACLE_RUNS)), passes(Submission())
    )
    masked = {f"{mask_entry.file}::{mask_entry.function}" for mask_entry in task.assay.masks}
    proofs = [proof for proof in result.proofs if proof.candidate.name in masked]
    passed_count = [passed_run for passed_run, _ in oracle].count(True)
    checks = {
        "oracle": CheckResult(
            holds=passed_count == ORACLE_RUNS,
            evidence=f"passed {passed_count} of {ORACLE_RUNS}: {oracle[0][1]}"[:400],
        ),
        "idle": CheckResult(holds=idle[0] is False, evidence=idle[1][:400]),
        **_by_function(proofs),
        **{f"floor {name}": _floor(result.floors[name]) for name in sorted(masked)},
        **noise(task),
        "variations": _variations(gold),
        "copies": _copies([twin for twin in result.twins if str(twin.place) in masked]),
    }
    return Certificate(task=task.id, digest=task.digest, assay=__version__, checks=checks)


def with_full_proof(certificate: Certificate, proof: Certificate, task: Task) -> Certificate:
    """Return the certificate together with the checks of `assay certify` for the same task."""
    checks = {**certificate.checks, **proof.checks}
    sources = [data for path, data in task.workspace.items() if path.endswith(".py")]
    if FIXED_SEED_CHEAT in checks and not any(b"ASSAY_" in source for source in sources):
        evidence = "does not apply: it forgets ASSAY_SEED and ASSAY_DATA, and no code here reads them"
        checks[FIXED_SEED_CHEAT] = CheckResult(holds=True, evidence=evidence)
    return certificate.model_copy(update={"checks": checks})


def _by_function(proofs: Sequence[FunctionProof]) -> dict[str, CheckResult]:
    checks = {}
    for proof in proofs:
        name = proof.candidate.name
        rejected, survived = proof.count("rejected"), proof.count("survived")
        checks[f"stub {name}"] = CheckResult(holds=bool(proof.stub), evidence=proof.stub)
        checks[f"fillings {name}"] = CheckResult(
            holds=True, evidence=f"all rejected: {', '.join(proof.fillings)}"
        )
        checks[f"mutants {name}"] = CheckResult(
            holds=proof.flaw is None,
            evidence=f"{rejected} of {rejected + survived} rejected; {proof.count('equivalent')} had the "
            f"same outputs and {proof.count('stillborn')} did not run, which do not count"
            + _discarded_note(proof)
            + _few_mutants_note(proof),
        )
    return checks


def _floor(floor: Floor) -> CheckResult:
    """Describe the floor; tolerances already contain rounding, so only an unknown floor is a flaw."""
    if floor.unknown is not None:
        return CheckResult(holds=False, evidence=f"unknown: {floor.unknown}")
    if floor.tests:
        evidence = (
            "the numbers count passed tests, which the agent sees; a test that compares floats exactly "
        )
        return CheckResult(holds=True, evidence=evidence + "also demands their last digits")
    if floor.exact:
        return CheckResult(holds=True, evidence="its outputs are whole numbers or words: nothing is rounded")
    moved = sum(distance > 0 for distance in floor.moved.values())
    return CheckResult(
        holds=True,
        evidence=f"{floor.floats} floats of its outputs moved by {describe_move(floor)} move {moved} of "
        f"{len(floor.moved)} numbers beyond the noise, by {max(floor.moved.values()):.2g} at most",
    )


def _discarded_note(proof: FunctionProof) -> str:
    lines = sorted({attempt.mutant.line for attempt in proof.tried_mutants if attempt.status == "discarded"})
    if not lines:
        return ""
    return f"; {proof.count('discarded')} change line {', '.join(map(str, lines))}, which the run discards"


def _few_mutants_note(proof: FunctionProof) -> str:
    """Explain a small number of judged mutants; empty if there are enough."""
    judged = proof.count("rejected") + proof.count("survived")
    if judged >= ENOUGH_MUTANTS:
        return ""
    return (
        f"; fewer than {ENOUGH_MUTANTS}, since of the {len(proof.tried_mutants)} mutants that can be made of "
        f"this body only {judged} run and change its outputs"
    )


def _variations(gold: GoldRuns) -> CheckResult:
    names = ", ".join(
        f"{variation.name} (drawn at grading)" if variation.fresh else variation.name
        for variation in gold.variations
    )
    return CheckResult(holds=True, evidence=names or "none: the run lets no seed, argument or data in")


def _copies(twins: Sequence[Twin]) -> CheckResult:
    if not twins:
        return CheckResult(
            holds=True,
            evidence="no twin and no text of the bodies anywhere else, archives and encoded data included",
        )
    description = "; ".join(twin.description for twin in twins)
    return CheckResult(holds=not any(twin.verbatim for twin in twins), evidence=description[:400])


def explain_failure(experiment: Experiment, gold: GoldRuns, proofs: Sequence[FunctionProof]) -> Unmaskable:
    """Explain why no function could be certified: noise, if it hides the mutants."""
    noises = {}
    for metric in experiment.metrics:
        runs = gold.numbers[DEFAULT][metric.name]
        size = abs(centre(runs))
        if size:
            noises[metric.name] = prediction_half_width(runs) / size
    loudest = max(noises, key=lambda name: noises[name], default=None)
    unnoticed = len(list(survivors(proofs)))
    hidden = unnoticed or any(proof.flaw and "passes" in proof.flaw for proof in proofs)
    if loudest is not None and hidden and noises[loudest] > MIN_NOISE:
        runs = gold.numbers[DEFAULT][loudest]
        return Unmaskable(
            f"the noise of the runs hides the mutants: {len(runs)} gold runs put {loudest!r} at "
            f"{centre(runs):.6g} ± {noises[loudest]:.1%}, and {unnoticed} mutants go unnoticed",
            hint="fix the seed of the run, or choose numbers that vary less",
        )
    flaws = [f"{proof.candidate.name}: {proof.flaw}" for proof in proofs if proof.flaw is not None]
    reasons = "; ".join(flaws[:3])
    return Unmaskable(
        "no function can be certified", hint=f"{reasons}. Metrics that say more of each step would help"
    )
