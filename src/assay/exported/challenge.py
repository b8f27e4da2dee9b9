"""A challenge: built from the submitted code, served apart, scored by the task's own evaluator."""

from __future__ import annotations

import secrets
import subprocess
import sys
from pathlib import Path

from assay.exported.bench import Ended, copy, limited, plain_files, read, take_written
from assay.exported.conversation import Conversation
from assay.exported.room import Room
from assay.rules.challenge import (
    BUILD,
    GPU_MEMORY,
    REFERENCE,
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

INPUTS_NOT_REPLACED = (
    "grading draws new inputs, and the exported verifier cannot put them in the place of /inputs; "
    "`assay grade` does"
)


def grade_challenge(room: Room) -> list[Ruling]:
    """Build, evaluate, and set the score beside the reference."""
    challenge = room.task.challenge
    tests = _draw_inputs(room)
    if (room.folder / "drawing" / "inputs").is_dir():
        return [Ruling(REFERENCE, "unknown", INPUTS_NOT_REPLACED, owner="sandbox")]
    built, artefacts = _build(room)
    limits = _gpu_limits(room)
    if built.status != "met":
        return [built, *limits, no_score("nothing to evaluate")]
    report, served = _evaluate(room, tests, artefacts)
    rules = [*limits, *served, *(grade_rule(name, rule) for name, rule in report.rules.items())]
    if report.score is None or not is_valid(rules):
        return [built, *rules, no_score("the submission is not valid")]
    return [built, *rules, grade_score(challenge, report.score)]


def _gpu_limits(room: Room) -> list[Ruling]:
    if not room.task.gpu_memory_limit:
        return []
    evidence = "the exported verifier does not measure GPU memory; `assay grade` does"
    return [Ruling(GPU_MEMORY, "unknown", evidence, owner="sandbox")]


def _draw_inputs(room: Room) -> Path:
    """Draw new inputs where the task asks for it; return the folder with the evaluator and its files."""
    challenge, tests = room.task.challenge, room.bench.tests
    if challenge.draw is None:
        return tests
    drawing, truth = room.folder / "drawing", room.folder / "truth"
    for folder in (drawing, truth):
        folder.mkdir()
    seed = str(secrets.randbits(128))
    command = [sys.executable, str(tests / challenge.draw)]
    process = room.bench.start(command, drawing, runs_as="verifier", variables={"ASSAY_SEED": seed})
    ended = room.bench.end(process, challenge.evaluate_seconds)
    if ended.returncode != 0:
        raise RuntimeError(f"{challenge.draw} exited with {ended.returncode} for seed {seed}")
    copy(drawing / "workspace", room.clean, plain_files(drawing / "workspace"))
    room.files = plain_files(room.clean)
    copy(tests, truth, [path for path in plain_files(tests) if not path.startswith("harbor/")])
    copy(drawing / "truth", truth, plain_files(drawing / "truth"))
    return truth


def _build(room: Room) -> tuple[Ruling, Path]:
    """The ruling on the build, and the folder with the artefacts."""
    challenge = room.task.challenge
    if challenge.build is None:
        artefacts = copy(room.clean, room.folder / "artefacts", challenge.artefacts)
        return grade_build("handed in", challenge.artefacts, plain_files(artefacts), {}), artefacts
    folder = room.lay_out()
    stderr = room.folder / "build.stderr"
    with stderr.open("wb") as err:
        command = limited(challenge.build, challenge.build_seconds)
        process = room.bench.start(command, folder, runs_as=room.runs_as, stderr=err)
        ended = room.bench.end(process, challenge.build_wall_seconds or WALL_FACTOR * challenge.build_seconds)
    artefacts, refused = take_written(
        folder, room.folder / "artefacts", challenge.artefacts, room.task.written_limits
    )
    room.bench.working_folder()
    if ended.timed_out or ended.returncode != 0:
        return unmet(BUILD, _how_it_ended(ended, read(stderr))), artefacts
    if ended.cpu_seconds > challenge.build_seconds + 1:
        used = f"{ended.cpu_seconds:.1f} s of processor time, {challenge.build_seconds:g} s are allowed"
        return unmet(BUILD, f"its processes used {used}"), artefacts
    evidence = f"built in {ended.seconds:.1f} s on the clock"
    return grade_build(evidence, challenge.artefacts, plain_files(artefacts), refused), artefacts


def _how_it_ended(ended: Ended, stderr: bytes) -> str:
    if ended.timed_out or ended.killed:
        limit = "wall" if ended.timed_out else "processor time"
        return f"stopped at its {limit} limit after {ended.seconds:.1f} s"
    text = " ⏎ ".join(stderr.decode(errors="replace").strip()[-300:].splitlines())
    return f"the build exited with {ended.returncode}: {text}"


def _evaluate(room: Room, tests: Path, artefacts: Path) -> tuple[Report, list[Ruling]]:
    """The evaluator's report, and whether the servers kept their limits."""
    challenge = room.task.challenge
    folder = room.folder / "evaluation"
    copy(room.clean, folder / "submission", room.files)
    copy(artefacts, folder / "artefacts", challenge.artefacts)
    command = [sys.executable, str(tests / challenge.evaluate)]
    stderr = room.folder / "evaluate.stderr"
    served = []
    with stderr.open("wb") as err:
        if challenge.serve is None:
            evaluator = room.bench.start(command, folder, runs_as="verifier", stderr=err)
            ended = room.bench.end(evaluator, challenge.evaluate_seconds)
        else:
            conversation = Conversation(room, _prepare(room, tests, folder, artefacts))
            ended = conversation.hold(command, folder, err)
            allowance = serving_allowance(challenge.serve_memory_mb, challenge.serve_seconds)
            served = [grade_serving(allowance, conversation.exceeded)]
    report = folder / REPORT
    if ended.timed_out or ended.returncode != 0 or not report.is_file():
        text = read(stderr).decode(errors="replace").strip()[-300:]
        raise RuntimeError(f"evaluator {challenge.evaluate} broke (exit {ended.returncode}): {text}")
    return parse_report(read(report)), served


def _prepare(room: Room, tests: Path, folder: Path, artefacts: Path) -> Path:
    """The artefacts as they are served, which a program of the task may rewrite."""
    challenge = room.task.challenge
    if challenge.prepare is None:
        return artefacts
    command = [sys.executable, str(tests / challenge.prepare)]
    process = room.bench.start(command, folder, runs_as="verifier", stderr=subprocess.DEVNULL)
    ended = room.bench.end(process, challenge.evaluate_seconds)
    if ended.returncode != 0:
        raise RuntimeError(f"{challenge.prepare} exited with {ended.returncode}")
    return folder / "served"
