"""Challenges: rebuilt from the submitted code, served apart, scored where alone the truth is."""

from __future__ import annotations

import asyncio
import math
import secrets
from collections.abc import Mapping
from pathlib import Path

from assay.errors import GradingError
from assay.grading.cleanroom import TRUTH, CleanRoom
from assay.grading.drawn_inputs import draw_inputs
from assay.grading.gpu import MeasuredRun, judge
from assay.grading.kept_results import artefacts_name, kept_results
from assay.grading.run_outputs import tail
from assay.grading.verdict import Verdict, verdicts_of
from assay.rules.challenge import (
    BUILD,
    FRESH_SERVER,
    REPORT,
    WALL_FACTOR,
    Report,
    grade_build,
    grade_rule,
    grade_score,
    grade_serving,
    is_valid,
    no_score,
    parse_report,
    serving_allowance,
)
from assay.rules.ruling import Ruling, unmet
from assay.sandbox import Outcome, converse, run_confined
from assay.tasks import Challenge
from assay.tasks.metric import Strict


class Scored(Strict):
    """A challenge's verdicts and its score, where there is a valid one."""

    verdicts: list[Verdict]
    score: float | None = None
    standard_error: float | None = None
    normalised: float | None = None


async def grade_challenge(room: CleanRoom, challenge: Challenge) -> Scored:
    """Build, evaluate, and set the score beside baseline and reference."""
    runs: list[MeasuredRun] = []
    if challenge.draw is not None:
        await draw_inputs(room, challenge.draw, challenge.evaluate_seconds)
    built, artefacts = await _build(room, challenge, runs)
    if built.status != "met":
        return Scored(verdicts=verdicts_of([built, *judge(runs), no_score("nothing to evaluate")]))
    report, limits = await _evaluate(room, challenge, artefacts, runs)
    rules = [*judge(runs), *limits, *(grade_rule(name, rule) for name, rule in report.rules.items())]
    if report.score is None or not is_valid(rules):
        return Scored(verdicts=verdicts_of([built, *rules, no_score("the submission is not valid")]))
    return Scored(
        verdicts=verdicts_of([built, *rules, grade_score(challenge, report.score)]),
        score=report.score,
        standard_error=report.standard_error,
        normalised=challenge.normalise(report.score),
    )


async def _build(
    room: CleanRoom, challenge: Challenge, runs: list[MeasuredRun]
) -> tuple[Ruling, dict[str, bytes | Path]]:
    artefacts: dict[str, bytes | Path]
    refused: Mapping[str, str] = room.submission.refused
    if challenge.build is None:
        artefacts = {path: room.files[path] for path in challenge.artefacts if path in room.files}
        evidence = "handed in"
    else:
        limit = challenge.build_gpu_memory_mb or room.task.assay.resources.gpu_memory_mb
        outcome = await run_confined(
            room.confine(
                room.workspace,
                seconds=challenge.build_wall_seconds or WALL_FACTOR * challenge.build_seconds,
                cpu_seconds=math.ceil(challenge.build_seconds),
                gpu_memory_mb=limit,
            ),
            ["/bin/bash", "-c", challenge.build],
            collect=challenge.artefacts,
            target_folder=room.outputs_folder("build"),
        )
        runs.append(MeasuredRun("build", limit, room.saw(outcome)))
        if outcome.timed_out or outcome.exceeded or outcome.returncode != 0:
            return unmet(BUILD, _how_it_ended(outcome)), {}
        artefacts, refused = dict(outcome.saved), outcome.refused
        evidence = _how_long(outcome, challenge.build_seconds)
    return grade_build(evidence, challenge.artefacts, artefacts, refused), artefacts


def _how_it_ended(outcome: Outcome) -> str:
    if outcome.timed_out or outcome.exceeded:
        return f"stopped at its {outcome.exceeded or 'wall'} limit after {outcome.seconds:.1f} s"
    return f"the build exited with {outcome.returncode}: {tail(outcome.stderr or outcome.stdout)}"


def _how_long(outcome: Outcome, allowed: float) -> str:
    used = "unknown" if outcome.cpu_seconds is None else f"{outcome.cpu_seconds:.1f} s"
    return f"built in {outcome.seconds:.1f} s on the clock; processor time {used}, {allowed:g} s allowed"


async def _evaluate(
    room: CleanRoom,
    challenge: Challenge,
    artefacts: Mapping[str, bytes | Path],
    runs: list[MeasuredRun],
) -> tuple[Report, list[Ruling]]:
    """The evaluator's report, and whether the server kept its limits."""
    seen = {} if challenge.evaluates_artefacts_only else room.files
    command = ["python", f"{TRUTH}/{challenge.evaluate}"]
    name = await asyncio.to_thread(_reusable, room, challenge, artefacts)
    for kept in kept_results().read(name) if name else ():
        return parse_report(kept), []
    bench = room.lay_beside("evaluation", {"submission": seen, "artefacts": artefacts})
    if challenge.serve is None:
        trusted = room.confine(bench, seconds=challenge.evaluate_seconds, truth=True)
        outcome = await run_confined(trusted, command, collect=[REPORT])
        room.saw(outcome)
        report = _read(challenge, outcome)
        if name:
            kept_results().keep(name, outcome.files[REPORT])
        return report, []
    token = "\x02" + secrets.token_hex(16)
    trusted = room.confine(
        bench, seconds=challenge.evaluate_seconds, truth=True, variables={FRESH_SERVER: token}
    )
    available = {**room.files, **await _prepare(room, challenge, artefacts)}
    served = {path: available[path] for path in challenge.serve_files if path in available}
    limit = challenge.serve_gpu_memory_mb or room.task.assay.resources.gpu_memory_mb
    untrusted = room.confine(
        room.lay_beside("serving", {".": served}),
        seconds=challenge.evaluate_seconds,
        inputs=False,
        memory_mb=challenge.serve_memory_mb,
        gpu_memory_mb=limit,
        cpu_seconds=math.ceil(challenge.serve_seconds) if challenge.serve_seconds else None,
    )
    outcome, server = await converse(
        trusted,
        command,
        untrusted,
        ["/bin/bash", "-c", challenge.serve],
        collect=[REPORT],
        restart_token=token.encode(),
    )
    runs.append(MeasuredRun("serve", limit, room.saw(server)))
    if runs[-1].exceeded:
        return Report(score=None, standard_error=0.0, rules={}), []
    room.saw(outcome)
    return _read(challenge, outcome), [_limits(challenge, server)]


def _reusable(room: CleanRoom, challenge: Challenge, artefacts: Mapping[str, bytes | Path]) -> str | None:
    """The name of an evaluation that depends on the artefacts alone; None for any other."""
    if not challenge.evaluates_artefacts_only or challenge.draw or challenge.serve:
        return None
    return artefacts_name(room.task, artefacts)


async def _prepare(
    room: CleanRoom, challenge: Challenge, artefacts: Mapping[str, bytes | Path]
) -> Mapping[str, bytes | Path]:
    """The artefacts as they are served, which a program of the task may rewrite."""
    if challenge.prepare is None:
        return artefacts
    outcome = await run_confined(
        room.confine(room.folder / "evaluation", seconds=challenge.evaluate_seconds, truth=True),
        ["python", f"{TRUTH}/{challenge.prepare}"],
        collect=[f"served/{path}" for path in challenge.artefacts],
    )
    if outcome.returncode != 0:
        raise GradingError(f"{challenge.prepare} exited with {outcome.returncode}: {tail(outcome.stderr)}")
    return {path.removeprefix("served/"): data for path, data in outcome.files.items()}


def _limits(challenge: Challenge, server: Outcome) -> Ruling:
    allowance = serving_allowance(challenge.serve_memory_mb, challenge.serve_seconds)
    return grade_serving(allowance, server.exceeded)


def _read(challenge: Challenge, outcome: Outcome) -> Report:
    if outcome.timed_out or outcome.returncode != 0 or REPORT not in outcome.files:
        raise GradingError(
            f"evaluator {challenge.evaluate} broke (exit {outcome.returncode}"
            f"{', timed out' if outcome.timed_out else ''}): {tail(outcome.stderr)}"
        )
    return parse_report(outcome.files[REPORT])
