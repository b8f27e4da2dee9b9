"""The certificate of a made task, and the word for why none could be made."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.certification.proof import ORACLE_RUNS, noise
from assay.errors import Unmaskable
from assay.grading import grade
from assay.masking.dial import Manifest
from assay.masking.experiment import Experiment
from assay.masking.leaks.twins import Twin
from assay.masking.pipeline.bench import Bench
from assay.masking.pipeline.floor import Floor, in_parts
from assay.masking.pipeline.gold import Gold
from assay.masking.pipeline.judge import ENOUGH_MUTANTS, Proof, survivors
from assay.rules.numbers import prediction_half_width
from assay.tasks import DEFAULT, Certificate, CheckResult, Task, centre
from assay.version import __version__
from assay.workspace import Submission

FORGETFUL = "cheat-fixed-seed"
"""Hands in right code that drops two variables; where the seed is an argument, that is simply right code."""
LOUD = 1e-3
"""Noise of more than this share of a number is worth a word."""


@dataclass(frozen=True)
class Made:
    """What making a repository into tasks came to."""

    tasks: dict[Path, Task]
    certificates: list[Certificate]
    proofs: list[Proof]
    left_out: dict[str, str]
    """Function → why no task masks it."""
    trace_ratio: float
    """Duration of the traced run over that of the plain one."""
    twins: list[Twin]
    manifest: Manifest
    """How the tasks were chosen, with the data-flow difficulty of each."""
    floors: dict[str, Floor]
    """Function → what moving its outputs by one part in 10⁷ did."""


async def certificate_of(task: Task, bench: Bench, gold: Gold, made: Made) -> Certificate:
    """Oracle and idle graded now; fillings and mutants as they were graded, function by function.

    A mutant laid over the gold of all masked functions is the same code whichever others are masked.
    """

    async def passes(submission: Submission) -> tuple[bool | None, str]:
        async with bench.gate:
            done = await grade(task, submission)
        return (
            done.passed,
            f"{done.caught_by.item}: {done.caught_by.evidence}" if done.caught_by else "all met",
        )

    *oracle, idle = await asyncio.gather(
        *(passes(Submission(task.gold_files)) for _ in range(ORACLE_RUNS)), passes(Submission())
    )
    masked = {f"{each.file}::{each.function}" for each in task.assay.masks}
    proofs = [each for each in made.proofs if each.candidate.name in masked]
    passed = [each for each, _ in oracle].count(True)
    checks = {
        "oracle": CheckResult(
            holds=passed == ORACLE_RUNS, evidence=f"passed {passed} of {ORACLE_RUNS}: {oracle[0][1]}"[:400]
        ),
        "idle": CheckResult(holds=idle[0] is False, evidence=idle[1][:400]),
        **_by_function(proofs),
        **{f"floor {name}": _floor(made.floors[name]) for name in sorted(masked)},
        **noise(task),
        "variations": _variations(gold),
        "copies": _copies([each for each in made.twins if str(each.place) in masked]),
    }
    return Certificate(task=task.id, digest=task.digest, assay=__version__, checks=checks)


def in_full(mine: Certificate, proof: Certificate, task: Task) -> Certificate:
    """The certificate with what `assay certify` proved of the same task added."""
    checks = {**mine.checks, **proof.checks}
    sources = [data for path, data in task.workspace.items() if path.endswith(".py")]
    if FORGETFUL in checks and not any(b"ASSAY_" in each for each in sources):
        evidence = "does not apply: it forgets ASSAY_SEED and ASSAY_DATA, and no code here reads them"
        checks[FORGETFUL] = CheckResult(holds=True, evidence=evidence)
    return mine.model_copy(update={"checks": checks})


def _by_function(proofs: Sequence[Proof]) -> dict[str, CheckResult]:
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
            f"same outputs and {proof.count('stillborn')} did not run, which do not count" + _few(proof),
        )
    return checks


def _floor(floor: Floor) -> CheckResult:
    """What rounding does to the numbers is in their tolerances already; only an unknown floor is a flaw."""
    if floor.unknown is not None:
        return CheckResult(holds=False, evidence=f"unknown: {floor.unknown}")
    if floor.exact:
        return CheckResult(holds=True, evidence="its outputs are whole numbers or words: nothing is rounded")
    moved = sum(each > 0 for each in floor.moved.values())
    return CheckResult(
        holds=True,
        evidence=f"{floor.floats} floats of its outputs moved by {in_parts(floor)} move {moved} of "
        f"{len(floor.moved)} numbers beyond the noise, by {max(floor.moved.values()):.2g} at most",
    )


def _few(proof: Proof) -> str:
    """Why fewer mutants than usual were judged, where that is so."""
    judged = proof.count("rejected") + proof.count("survived")
    if judged >= ENOUGH_MUTANTS:
        return ""
    return (
        f"; fewer than {ENOUGH_MUTANTS}, since of the {len(proof.tried)} mutants that can be made of this "
        f"body only {judged} run and change its outputs"
    )


def _variations(gold: Gold) -> CheckResult:
    names = ", ".join(
        f"{each.name} (drawn at grading)" if each.fresh else each.name for each in gold.variations
    )
    return CheckResult(holds=True, evidence=names or "none: the run lets no seed, argument or data in")


def _copies(twins: Sequence[Twin]) -> CheckResult:
    if not twins:
        return CheckResult(
            holds=True,
            evidence="no twin and no text of the bodies anywhere else, archives and encoded data included",
        )
    words = "; ".join(each.words for each in twins)
    return CheckResult(holds=not any(each.verbatim for each in twins), evidence=words[:400])


def explain_failure(experiment: Experiment, gold: Gold, proofs: Sequence[Proof]) -> Unmaskable:
    """Why no function could be certified: the noise, where that is what hides the mutants."""
    noises = {}
    for metric in experiment.metrics:
        runs = gold.numbers[DEFAULT][metric.name]
        size = abs(centre(runs))
        if size:
            noises[metric.name] = prediction_half_width(runs) / size
    loudest = max(noises, key=lambda name: noises[name], default=None)
    unnoticed = len(list(survivors(proofs)))
    hidden = unnoticed or any(proof.flaw and "passes" in proof.flaw for proof in proofs)
    if loudest is not None and hidden and noises[loudest] > LOUD:
        runs = gold.numbers[DEFAULT][loudest]
        return Unmaskable(
            f"the noise of the runs hides the mutants: {len(runs)} gold runs put {loudest!r} at "
            f"{centre(runs):.6g} ± {noises[loudest]:.1%}, and {unnoticed} mutants go unnoticed",
            hint="fix the seed of the run, or choose numbers that vary less",
        )
    reasons = "; ".join(f"{each.candidate.name}: {each.flaw}" for each in proofs[:3])
    return Unmaskable(
        "no function can be certified", hint=f"{reasons}. Metrics that say more of each step would help"
    )
