"""Every item of an exported task: what the rules say, and a control where a step breaks."""

from __future__ import annotations

import json
import os
import secrets
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

from assay.exported.bench import Bench, copy, plain_files, read
from assay.exported.challenge import grade_challenge
from assay.exported.reward_file import NOT_OURS, open_again, prepare_reward, remove, write_reward
from assay.exported.room import ExportedRerun, Room
from assay.exported.usage import adopt_orphans
from assay.exported.users import NotIsolated
from assay.rules.conclusion import ITEM as FAITHFUL
from assay.rules.conclusion import grade_conclusion
from assay.rules.design import grade_design
from assay.rules.fresh_calls import (
    ANSWERS,
    choose,
    function_names,
    grade_fresh_calls,
    preparation,
    questions,
    runs_unit_tests,
    unknown,
)
from assay.rules.fresh_calls import ITEM as UNIT_TESTS
from assay.rules.handed_in import HANDED_IN, grade_handed_in
from assay.rules.importing import own_environment
from assay.rules.literals import literals, stated_names, stated_numbers
from assay.rules.numbers import look_up
from assay.rules.programs import is_program
from assay.rules.requirement import (
    CHECK_WALL_SECONDS,
    SEEDS_FILE,
    check_broke,
    grade_check,
    item_of,
    needs_reader,
    nothing_handed_in,
    nothing_to_check,
)
from assay.rules.results import grade_execution, grade_number, not_run
from assay.rules.ruling import DEFAULT, Ruling, is_decided, met, of_solution, unmet, without_runs
from assay.rules.running import DATA_SEEDS, SEEDS, seeded_command
from assay.rules.startup import ITEM as STARTUP
from assay.rules.startup import grade_startup

SAME_USER = "--same-user"
"""Runs what was handed in with the verifier's own rights, for people who trust it."""
Step = Callable[[Room], list[Ruling]]
NOT_FOLLOWED = "the exported verifier does not follow what a run executes; `assay grade` does"


class Broke(Exception):
    """A program of the task did not decide."""


def verify(task: SimpleNamespace, workspace: Path, bench: Bench) -> list[Ruling]:
    """A ruling for every item of the task, whatever the submission does."""
    try:
        room = Room(bench, task, workspace, "room")
    except Exception as error:
        return _not_read(bench, task, f"{type(error).__name__}: {error}"[:300])
    bench.require_python(_commands(task))
    bench.put_workspace_away()
    rulings = _settle(room, STARTUP, _startup)
    rulings += grade_handed_in(task.required, room.submitted, room.given, room.deleted, {})
    missing = [path for path in task.inputs if not Path(path).exists()]
    for item, step in _steps(task):
        if missing and not item.startswith(("design", "handed-in")):
            evidence = f"the input {missing[0]} is not in this container"
            rulings.append(Ruling(item, "unknown", evidence, owner="sandbox"))
        else:
            rulings += _settle(room, item, step)
    rulings = without_runs(rulings)
    if task.unproved and room.is_solution():
        rulings = [of_solution(ruling) for ruling in rulings]
    return rulings


def _not_read(bench: Bench, task: SimpleNamespace, problem: str) -> list[Ruling]:
    """Where the submission cannot be read, a ruling for every item; the solution decides whose failure."""
    items = [STARTUP, *(f"{HANDED_IN}{path}" for path in task.required), *(item for item, _ in _steps(task))]
    try:
        _solution_room(bench, task)
    except Exception:
        evidence = f"what was handed in cannot be read, and neither can the control submission: {problem}"
        return [Ruling(item, "unknown", evidence, owner="grader") for item in items]
    return [unmet(item, f"what was handed in cannot be read: {problem}") for item in items]


def _commands(task: SimpleNamespace) -> list[str]:
    """The shell commands of the task that run what was handed in."""
    parts = [(task.run, "command"), *((variation, "command") for variation in task.variations)]
    parts += [(task.challenge, "build"), (task.challenge, "serve")]
    return [command for part, name in parts if part is not None and (command := getattr(part, name))]


def _steps(task: SimpleNamespace) -> Iterator[tuple[str, Step]]:
    if task.challenge is not None:
        yield "score.reference", grade_challenge
    if task.run is not None:
        yield "execution.default", _results
        if task.masks and runs_unit_tests(task.run.command):
            yield UNIT_TESTS, _unit_tests
    if task.design is not None:
        yield "design", _design
    for requirement in task.requirements:
        yield item_of(requirement.id), _requirement(requirement)
    if task.conclusion is not None:
        yield "conclusion", _conclusion


def _settle(room: Room, item: str, step: Step) -> list[Ruling]:
    """Apply one step; if it breaks, the solution decides whose failure that is."""
    try:
        return step(room)
    except NotIsolated as error:
        return [Ruling(item, "unknown", str(error), owner="sandbox")]
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"[:300]
    try:
        rulings = step(_solution_room(room.bench, room.task))
    except Exception:
        rulings = [Ruling(item, "unknown", "", owner="grader")]
    if all(is_decided(ruling, room.task.unproved) for ruling in rulings):
        return [unmet(item, f"grading broke on this submission and not on the control: {problem}")]
    evidence = f"grading broke, on the control submission too: {problem}"
    return [Ruling(item, "unknown", evidence, owner="grader")]


def _solution_room(bench: Bench, task: SimpleNamespace) -> Room:
    """The task's own solution in a room of its own; each call makes a new one."""
    folder = Path(tempfile.mkdtemp(dir=bench.folder))
    for source in (bench.tests / "pristine", bench.tests / "harbor" / "solution"):
        copy(source, folder / "workspace", plain_files(source))
    return Room(bench, task, folder / "workspace", folder.name, "solution")


def _startup(room: Room) -> list[Ruling]:
    return [grade_startup(room.layout(_commands(room.task)), own_environment())]


def _results(room: Room) -> list[Ruling]:
    """The plain run, every variation, and every metric of each."""
    plain = room.rerun()
    rulings = [_execution(room, plain), *_numbers(room, plain, room.task.gold[DEFAULT])]
    seeds: dict[str, int] = {}
    for variation in room.task.variations:
        if plain.results is None:
            rulings.append(not_run(variation.name))
            continue
        if variation.fresh:
            seed = secrets.choice(SEEDS if variation.draw is None else DATA_SEEDS)
            changes = {"seed": seed, "command": seeded_command(variation.command, seed)}
            variation = SimpleNamespace(**{**vars(variation), **changes})
            gold = _fresh_gold(room, variation)
            seeds[variation.name] = seed
        else:
            gold = room.task.gold[variation.name]
        rerun = room.rerun(variation)
        rulings += [_execution(room, rerun), *_numbers(room, rerun, gold)]
    (room.folder / "outputs").mkdir(exist_ok=True)
    (room.folder / "outputs" / SEEDS_FILE).write_text(json.dumps(seeds))
    return rulings


def _unit_tests(room: Room) -> list[Ruling]:
    """Whether the masked functions compute; nothing is said where the tests do not pass."""
    if not _is_passed(room, room.rerun()):
        return []
    masks = room.task.masks
    step = preparation(masks, room.task.run.command, secrets.choice(SEEDS))
    fresh = choose(_solution_room(room.bench, room.task).run_step(step), function_names(masks))
    if fresh.problems:
        return [unknown(fresh.problems)]
    return [grade_fresh_calls(fresh, room.run_step(questions(fresh)).get(ANSWERS))]


def _is_passed(room: Room, rerun: ExportedRerun) -> bool:
    return all(ruling.status == "met" for ruling in _numbers(room, rerun, room.task.gold[DEFAULT]))


def _execution(room: Room, rerun: ExportedRerun) -> Ruling:
    account = f"exit 0 after {rerun.seconds:.1f} s, results written"
    outputs = plain_files(rerun.outputs)
    expected, refused = room.task.run.written, rerun.refused
    return grade_execution(rerun.variation, rerun.problem, expected, outputs, refused, None, account)


def _numbers(room: Room, rerun: ExportedRerun, gold: dict[str, list[float]]) -> list[Ruling]:
    """One ruling for each metric; gold is the centre of its runs and the tolerance."""
    rulings = []
    for metric in room.task.metrics:
        centre, tolerance = gold[metric.name]
        name, results = rerun.variation, rerun.results
        rulings.append(
            grade_number(name, metric.name, metric.path, centre, tolerance, results, rerun.problem)
        )
    return rulings


def _fresh_gold(room: Room, variation: SimpleNamespace) -> dict[str, list[float]]:
    rerun = _solution_room(room.bench, room.task).rerun(variation)
    if rerun.results is None:
        raise Broke(f"the solution does not run with the drawn seed {variation.seed}: {rerun.problem}")
    numbers = {metric.name: look_up(rerun.results, metric.path) for metric in room.task.metrics}
    return {
        metric.name: [
            numbers[metric.name],
            metric.absolute + metric.relative * abs(numbers[metric.name]),
        ]
        for metric in room.task.metrics
    }


def _design(room: Room) -> list[Ruling]:
    return grade_design(room.task.design, room.contents("design.json"), room.task.instruction)


def _requirement(requirement: SimpleNamespace) -> Step:
    def step(room: Room) -> list[Ruling]:
        if requirement.check is None:
            return [_unchecked(room, requirement)]
        plain = room.rerun()
        if plain.results is None:
            return [nothing_to_check(requirement.id, plain.problem)]
        for variation in room.task.variations:
            if not variation.fresh:
                room.rerun(variation)
        return [_checked(room, requirement)]

    return step


def _checked(room: Room, requirement: SimpleNamespace) -> Ruling:
    """The verdict of one check over what the runs wrote."""
    stdout, stderr = room.folder / "check.stdout", room.folder / "check.stderr"
    command = [sys.executable, str(room.bench.tests / requirement.check)]
    with stdout.open("wb") as out, stderr.open("wb") as err:
        process = room.bench.start(command, room.folder, runs_as="verifier", stdout=out, stderr=err)
        ended = room.bench.end(process, CHECK_WALL_SECONDS)
    text = (read(stdout) or read(stderr)).decode(errors="replace").strip()
    evidence = " ⏎ ".join(text[-500:].splitlines()) or "the check said nothing"
    if check_broke(ended.returncode, read(stderr), timed_out=ended.timed_out):
        raise Broke(f"check {requirement.check} broke (exit {ended.returncode}): {evidence}")
    return grade_check(requirement.id, ended.returncode, evidence)


def _unchecked(room: Room, requirement: SimpleNamespace) -> Ruling:
    """The verdict where no check can be run: the unchanged solution meets it, other code needs a reader."""
    if not room.submitted and not room.deleted:
        return nothing_handed_in(requirement.id)
    gold = {path: _gold_file(room, path) for path in requirement.gold}
    unchanged = gold and all((room.clean / path).is_file() for path in gold)
    unchanged = unchanged and all((room.clean / path).read_bytes() == data for path, data in gold.items())
    if not unchanged:
        return needs_reader(requirement.id)
    evidence = f"the solution's own {', '.join(requirement.gold)}, unchanged"
    if room.is_solution() and not room.task.unproved:
        return met(item_of(requirement.id), evidence)
    return Ruling(item_of(requirement.id), "unknown", f"{evidence}; {NOT_FOLLOWED}", owner="grader")


def _gold_file(room: Room, path: str) -> bytes:
    solution = room.bench.tests / "harbor" / "solution" / path
    return (solution if solution.is_file() else room.bench.tests / "pristine" / path).read_bytes()


def _conclusion(room: Room) -> list[Ruling]:
    """Each claim; where it matters which code ran, the verdict stays open."""
    task, handed_in, results = room.task, room.contents("conclusion.json"), room.rerun().results
    stated = task.instruction, task.conclusion, task.design
    numbers, names = stated_numbers(*stated), stated_names(*stated)
    design = room.contents("design.json")
    files = {} if design is None else {"design.json": design}
    contents = {path: (room.clean / path).read_bytes() for path in room.submitted if path in room.files}
    programs = {path: data for path, data in contents.items() if is_program(path, data)}
    narrow, wide = (
        grade_conclusion(
            task.conclusion, handed_in, results, numbers, task.noise, literals(settings), known_names=names
        )
        for settings in (files, {**files, **programs})
    )
    return [
        ruling
        if ruling.status == other_ruling.status
        else Ruling(FAITHFUL, "unknown", f"{ruling.evidence}; {NOT_FOLLOWED}", owner="grader")
        for ruling, other_ruling in zip(narrow, wide, strict=True)
    ]


def main(workspace: str, tests: str, reward: str, *options: str) -> None:
    """Verify a workspace, and write the reward and every verdict with its evidence."""
    if wrong := {*options} - {SAME_USER}:
        raise SystemExit(f"unknown option {min(wrong)}, expected {SAME_USER} or none")
    os.umask(0o022)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    folder, path = Path(workspace).absolute(), Path(reward).absolute()
    adopt_orphans()
    modes = prepare_reward(path)
    problem: str | None = None
    try:
        with tempfile.TemporaryDirectory() as scratch:
            bench = Bench(Path(scratch), Path(tests).resolve(), folder, same_user=SAME_USER in options)
            task = load_task_data((bench.tests / "task.json").read_bytes())
            try:
                rulings = verify(task, folder, bench)
            finally:
                _close(bench)
                problem = bench.problem
                remove(path.with_name(NOT_OURS))
            write_reward(path, rulings, problem)
    finally:
        if problem is None:
            open_again(modes)
        else:
            print(f"no reward: {problem}", file=sys.stderr)


def _close(bench: Bench) -> None:
    try:
        bench.close()
    except NotIsolated as error:
        print(error, file=sys.stderr)


def load_task_data(data: bytes) -> SimpleNamespace:
    """tests/task.json with its tables as objects; gold and noise stay tables, because their keys are data."""
    table = json.loads(data)
    gold, noise = table.pop("gold"), table.pop("noise")
    task: SimpleNamespace = json.loads(json.dumps(table), object_hook=lambda part: SimpleNamespace(**part))
    task.gold, task.noise = gold, noise
    return task
