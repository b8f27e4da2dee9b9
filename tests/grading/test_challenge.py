"""Challenges whose bar nobody knows, and limits that are watched from outside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.errors import DrawingError
from assay.grading import Grade, grade_now
from assay.grading.challenge import Scored
from assay.grading.cleanroom import CleanRoom
from assay.grading.merging import merge
from assay.rules.handed_in import NAME_LIMIT
from assay.tasks import Input, Task, TaskConfig
from assay.tasks.inputs import keep_input
from assay.workspace import Submission

EVALUATE = b"""import json
made = json.load(open("artefacts/made.json"))
rules = {"honest": {"met": made["honest"], "evidence": "as it says"}}
json.dump({"score": made["score"], "standard_error": 0.1, "rules": rules}, open("report.json", "w"))
"""
HONEST = b'echo \'{"score": 0.5, "honest": true}\' > made.json\n'


def challenge(**changes: Any) -> Task:
    goal = {
        "metric": "worth",
        "unit": "points",
        "direction": "higher",
        "build": "bash build.sh",
        "artefacts": ["made.json"],
        **changes,
    }
    table = {"id": "toy", "kind": "challenge", "challenge": goal}
    config = TaskConfig.model_validate({"task": {"name": "assay/toy"}, "metadata": {"assay": table}})
    return Task(
        config=config,
        instruction="Build it.\n",
        environment={"workspace/build.sh": b"exit 1\n"},
        solution={"files/build.sh": HONEST},
        tests={"evaluate.py": EVALUATE},
    )


def graded(task: Task, build: bytes = HONEST) -> tuple[Grade, dict[str, str]]:
    done = grade_now(task, Submission({"build.sh": build}))
    return done, {each.item: each.status for each in done.verdicts}


def test_without_a_reference_the_score_is_known_and_passing_is_not() -> None:
    done, found = graded(challenge(baseline=0.25))
    assert (done.score, done.standard_error, done.normalised) == (0.5, 0.1, None)
    assert found["score.reference"] == "unknown"
    assert done.passed is None
    verdict = next(each for each in done.verdicts if each.item == "score.reference")
    assert verdict.owner == "task"
    assert "reference unknown, baseline 0.2500" in verdict.evidence


def test_a_reference_without_a_baseline_is_a_bar_and_no_scale() -> None:
    done, _ = graded(challenge(reference=0.5))
    assert (done.passed, done.normalised) == (True, None)
    assert graded(challenge(reference=0.6))[0].passed is False


def test_a_broken_rule_is_no_pass_whatever_is_unknown() -> None:
    done, found = graded(challenge(), HONEST.replace(b"true", b"false"))
    assert (done.score, done.passed) == (None, False)
    assert found["rule.honest"] == "unmet"


def test_who_breaks_the_evaluator_is_told_from_the_control_although_its_bar_is_unknown() -> None:
    done, found = graded(challenge(), b"echo '[]' > made.json\n")
    assert (found["score.reference"], done.passed) == ("unmet", False)


DRAW = b"""import os, pathlib
seed = os.environ["ASSAY_SEED"]
for place in ("workspace", "truth"):
    pathlib.Path(place).mkdir()
    pathlib.Path(place, "seed.txt").write_text(seed)
"""
SEEN = b"""import json
from pathlib import Path
seed = Path(__file__).with_name("seed.txt").read_text()
score = float(json.load(open("artefacts/made.json"))["seed"] == int(seed))
print(seed)
json.dump({"score": score, "standard_error": 0.0, "rules": {}}, open("report.json", "w"))
"""
READS_SEED = b"""echo "{\\"seed\\": $(cat seed.txt)}" > made.json\n"""


def with_draw(program: bytes = DRAW) -> Task:
    """A challenge that is won by who reads the file that grading drew."""
    task = challenge(draw="draw.py", reference=1.0)
    return task.model_copy(
        update={
            "environment": {**task.environment, "workspace/seed.txt": b"0"},
            "solution": {"files/build.sh": READS_SEED},
            "tests": {"evaluate.py": SEEN, "draw.py": program, "seed.txt": b"0"},
        }
    )


def test_the_build_and_the_evaluator_get_files_that_were_drawn_at_grading() -> None:
    assert graded(with_draw(), READS_SEED)[0].score == 1.0


def test_who_knows_the_files_that_ship_knows_nothing_of_those_that_are_drawn() -> None:
    assert graded(with_draw(), b"""echo '{"seed": 0}' > made.json\n""")[0].score == 0.0


def test_a_submission_cannot_put_its_own_file_in_place_of_a_drawn_one() -> None:
    files = {"build.sh": READS_SEED, "seed.txt": b"0"}
    assert grade_now(with_draw(), Submission(files)).score == 1.0
    assert grade_now(with_draw(), Submission({"build.sh": READS_SEED, "seed.txt/odd": b"0"})).score == 1.0


def test_a_drawing_program_that_breaks_is_no_failure_of_the_agent() -> None:
    done = grade_now(with_draw(b"raise SystemExit(3)"), Submission({"build.sh": READS_SEED}))
    assert done.passed is None
    assert "grader" in {verdict.owner for verdict in done.verdicts}


DRAW_INPUT = b"""import os, pathlib
for place in ("inputs/text", "truth"):
    pathlib.Path(place).mkdir(parents=True)
    pathlib.Path(place, "seed.txt").write_text(os.environ["ASSAY_SEED"])
"""
READS_INPUT = b"""echo "{\\"seed\\": $(cat /inputs/*/seed.txt)}" > made.json\n"""


def with_drawn_input(tmp_path: Path, program: bytes = DRAW_INPUT) -> Task:
    """A challenge with an input that grading replaces."""
    (tmp_path / "seed.txt").write_text("0\n")
    given = Input(name="text", sha256=keep_input(tmp_path), origin="tests", licence="ours")
    task = with_draw(program)
    table = task.assay.model_copy(update={"inputs": [given]})
    metadata = task.config.metadata.model_copy(update={"assay": table})
    return Task(
        config=task.config.model_copy(update={"metadata": metadata}),
        instruction=task.instruction,
        environment=task.environment,
        solution=task.solution,
        tests=task.tests,
    )


def test_a_drawn_input_takes_the_place_of_the_one_that_the_agent_had(tmp_path: Path) -> None:
    assert graded(with_drawn_input(tmp_path), READS_INPUT)[0].score == 1.0


def test_the_build_no_longer_sees_the_input_that_the_agent_had(tmp_path: Path) -> None:
    needs_given = b"""grep -rqx 0 /inputs && echo '{"seed": 0}' > made.json\n"""
    task = with_drawn_input(tmp_path)
    assert graded(task, needs_given)[1]["execution.build"] == "unmet"
    assert graded(with_drawn_input(tmp_path, DRAW), needs_given)[1]["execution.build"] == "met"


def test_a_drawn_input_that_the_task_does_not_have_is_a_fault_of_the_task(tmp_path: Path) -> None:
    task = with_drawn_input(tmp_path, DRAW_INPUT.replace(b"inputs/text", b"inputs/other"))
    done = grade_now(task, Submission({"build.sh": READS_INPUT}))
    assert done.passed is None
    assert any("but the task has no such input" in verdict.evidence for verdict in done.verdicts)


def test_inputs_that_only_the_control_got_in_time_are_no_failure_of_the_agent() -> None:
    rooms: list[CleanRoom] = []

    async def draws_late(room: CleanRoom) -> Scored:
        rooms.append(room)
        if len(rooms) == 1:
            raise DrawingError("draw.py exited with 137 for seed 7: ")
        return Scored(verdicts=[])

    done = grade_now(challenge(), Submission({"build.sh": READS_SEED}), graders={"score.drawn": draws_late})
    (verdict,) = [verdict for verdict in done.verdicts if verdict.item == "score.drawn"]
    assert (verdict.status, verdict.owner) == ("unknown", "grader"), verdict.evidence
    assert "could not draw its inputs: draw.py exited with 137" in verdict.evidence


def test_the_clock_ends_a_build_that_uses_no_processor() -> None:
    _, found = graded(challenge(build_wall_seconds=0.5, build_seconds=1000.0), b"sleep 60\n")
    assert found["execution.build"] == "unmet"


def test_where_no_gpu_tells_its_memory_the_rule_is_unknown() -> None:
    done, found = graded(challenge(build_gpu_memory_mb=700, reference=0.4))
    assert (found["rule.gpu-memory"], found["score.reference"]) == ("unknown", "met")
    assert (done.score, done.passed) == (0.5, None)


ASKS = b"""import json, os, sys
token = os.environ["ASSAY_FRESH_SERVER"]
def ask(question):
    print(question, flush=True)
    return sys.stdin.readline().strip()
def fresh():
    os.write(1, token.encode())
    while sys.stdin.readline() not in (token + "\\n", ""):
        pass
heard = [ask("1"), ask("2")]
fresh()
heard += [ask("1"), ask("2")]
rules = {"same": {"met": heard[:2] == heard[2:], "evidence": str(heard)}}
json.dump({"score": 1.0, "standard_error": 0.0, "rules": rules}, open("report.json", "w"))
"""
COUNTS = b"""import sys
made = open("made.json").read().strip()
for number, line in enumerate(sys.stdin):
    open("/tmp/seen", "a").write("x")
    print(made, len(open("/tmp/seen").read()), flush=True)
"""


def served(serve: bytes, **changes: Any) -> tuple[Grade, dict[str, str]]:
    task = challenge(serve="python serve.py", serve_files=["serve.py", "made.json"], reference=0.5, **changes)
    prepare = b"import os; os.mkdir('served'); open('served/made.json', 'w').write('rewritten')"
    tests = {"evaluate.py": ASKS, "prepare.py": prepare}
    task = task.model_copy(update={"tests": tests, "solution": {**task.solution, "files/serve.py": COUNTS}})
    done = grade_now(task, Submission({"build.sh": HONEST, "serve.py": serve}))
    return done, {each.item: each.evidence for each in done.verdicts}


def test_a_fresh_server_finds_nothing_that_the_one_before_it_left() -> None:
    done, evidence = served(COUNTS, prepare="prepare.py")
    assert done.passed is True
    assert evidence["rule.same"] == str(["rewritten 1", "rewritten 2"] * 2)
    assert "on the clock; processor time" in evidence["execution.build"]


def test_a_server_that_goes_beyond_its_processor_time_is_stopped_and_that_is_said() -> None:
    done, evidence = served(b"while True: pass\n", serve_seconds=1.0)
    assert done.passed is False
    assert evidence["rule.serving-limits"].startswith("a server was stopped at its cpu limit")


def test_names_of_folders_and_links_carry_no_weights_past_a_rule_on_files() -> None:
    many = tuple(f"parts/{number:03}{'x' * 200}" for number in range(100))
    links = {f"links/{number:03}": "/usr/" + "x" * 200 for number in range(100)}
    given = {"build.sh": HONEST}
    merged = merge(challenge(), Submission(given, folders=many, links=links))
    text = [*merged.folders, *(path + target for path, target in merged.links)]
    assert sum(map(len, text)) <= NAME_LIMIT
    assert set(many) & set(merged.ignored)
    few = merge(challenge(), Submission(given, folders=("logs",), links={"data": "/usr/share"}))
    assert (few.folders, few.links) == (("logs",), (("data", "/usr/share"),))
