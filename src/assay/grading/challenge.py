"""Challenges: rebuilt from the submitted code, served apart, scored where alone the truth is."""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.errors import GradingError
from assay.grading.cleanroom import TRUTH, CleanRoom, tail
from assay.grading.drawn_inputs import draw_inputs
from assay.grading.gpu import MeasuredRun, judge
from assay.grading.verdict import Verdict
from assay.sandbox import Outcome, converse, run_confined
from assay.tasks import Challenge
from assay.tasks.documents import read_json
from assay.tasks.metric import Strict

REPORT = "report.json"
FRESH_SERVER = "ASSAY_FRESH_SERVER"
"""Tells the evaluator the token by which it asks for a server that has seen no question yet."""
WALL_FACTOR = 6
"""How much longer than its processor time a build may take on the clock."""


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
        return Scored(verdicts=[built, *judge(runs), _not_reached("nothing to evaluate")])
    report, limits = await _evaluate(room, challenge, artefacts, runs)
    rules = [*judge(runs), *limits, *(_rule(name, rule) for name, rule in report["rules"].items())]
    valid = all(rule.status != "unmet" for rule in rules)
    score = report["score"]
    if not valid or score is None:
        return Scored(verdicts=[built, *rules, _not_reached("the submission is not valid")])
    return Scored(
        verdicts=[built, *rules, _reference(challenge, score)],
        score=score,
        standard_error=report["standard_error"],
        normalised=challenge.normalise(score),
    )


def _rule(name: str, rule: Mapping[str, Any]) -> Verdict:
    return Verdict(
        item=f"rule.{name}",
        status="met" if rule["met"] else "unmet",
        owner=None if rule["met"] else "agent",
        evidence=str(rule["evidence"])[:500],
    )


def _not_reached(why: str) -> Verdict:
    return Verdict(item="score.reference", status="unmet", owner="agent", evidence=f"no score: {why}")


def _reference(challenge: Challenge, score: float) -> Verdict:
    reached = challenge.reaches_reference(score)
    bar = "unknown" if challenge.reference is None else f"{challenge.reference:.4f} ± {challenge.noise:.4f}"
    start = "unknown" if challenge.baseline is None else f"{challenge.baseline:.4f}"
    evidence = (
        f"{challenge.metric} {score:.4f} {challenge.unit}, reference {bar}, baseline {start} "
        f"({challenge.direction} is better)"
    )
    if reached is None:
        return Verdict(item="score.reference", status="unknown", owner="task", evidence=evidence)
    if reached:
        return Verdict(item="score.reference", status="met", evidence=evidence)
    return Verdict(item="score.reference", status="unmet", owner="agent", evidence=evidence)


async def _build(
    room: CleanRoom, challenge: Challenge, runs: list[MeasuredRun]
) -> tuple[Verdict, dict[str, bytes | Path]]:
    item = "execution.build"
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
            into=room.outputs_folder("build"),
        )
        runs.append(MeasuredRun("build", limit, room.saw(outcome)))
        if outcome.timed_out or outcome.exceeded or outcome.returncode != 0:
            return _failed(item, _how_it_ended(outcome)), {}
        artefacts, refused = dict(outcome.saved), outcome.refused
        evidence = _how_long(outcome, challenge.build_seconds)
    missing = [path for path in challenge.artefacts if path not in artefacts]
    if missing:
        why = [f"{path} ({refused[path]})" if path in refused else path for path in missing]
        return _failed(item, f"{evidence}, but without {', '.join(why)}"), {}
    return Verdict(item=item, status="met", evidence=evidence), artefacts


def _failed(item: str, evidence: str) -> Verdict:
    return Verdict(item=item, status="unmet", owner="agent", evidence=evidence)


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
) -> tuple[dict[str, Any], list[Verdict]]:
    """The evaluator's report, and whether the server kept its limits."""
    bench = room.lay_beside("evaluation", {"submission": room.files, "artefacts": artefacts})
    command = ["python", f"{TRUTH}/{challenge.evaluate}"]
    if challenge.serve is None:
        trusted = room.confine(bench, seconds=challenge.evaluate_seconds, truth=True)
        outcome = await run_confined(trusted, command, collect=[REPORT])
        room.saw(outcome)
        return _read(challenge, outcome), []
    token = "\x02" + secrets.token_hex(16)
    trusted = room.confine(
        bench, seconds=challenge.evaluate_seconds, truth=True, variables={FRESH_SERVER: token}
    )
    given = {**room.files, **await _prepare(room, challenge, artefacts)}
    served = {path: given[path] for path in challenge.serve_files if path in given}
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
        fresh=token.encode(),
    )
    runs.append(MeasuredRun("serve", limit, room.saw(server)))
    if runs[-1].exceeded:
        return {"score": None, "standard_error": 0.0, "rules": {}}, []
    room.saw(outcome)
    return _read(challenge, outcome), [_limits(challenge, server)]


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


def _limits(challenge: Challenge, server: Outcome) -> Verdict:
    allowed = [f"{challenge.serve_memory_mb} MB of memory"]
    if challenge.serve_seconds:
        allowed.append(f"{challenge.serve_seconds:g} s of processor time")
    each = " and ".join(allowed)
    if server.exceeded is None:
        return Verdict(item="rule.serving-limits", status="met", evidence=f"each server kept to {each}")
    evidence = f"a server was stopped at its {server.exceeded} limit; each is allowed {each}"
    return _failed("rule.serving-limits", evidence)


def _read(challenge: Challenge, outcome: Outcome) -> dict[str, Any]:
    if outcome.timed_out or outcome.returncode != 0 or REPORT not in outcome.files:
        raise GradingError(
            f"evaluator {challenge.evaluate} broke (exit {outcome.returncode}"
            f"{', timed out' if outcome.timed_out else ''}): {tail(outcome.stderr)}"
        )
    report = read_json(outcome.files[REPORT])
    score = report.get("score")
    finite = isinstance(score, int | float) and math.isfinite(score)
    return {
        "score": float(score) if finite else None,
        "standard_error": float(report.get("standard_error") or 0.0),
        "rules": report["rules"],
    }
