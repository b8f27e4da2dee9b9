"""The exported verifier and `assay grade` say the same of the same submission, item by item."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from assay.benchmarks import load_suite
from assay.exported.bench import take_written
from assay.grading import grade_now
from assay.tasks import Task, TaskConfig, save_task
from assay.tasks.files import write_tree
from assay.tasks.harbor import verifier_files
from assay.workspace import Submission, task_environment
from tests.grading.test_challenge import ASKS, READS_SEED, challenge, with_draw
from tests.tasks.verifier_command import verifier_command


@dataclass(frozen=True)
class Exported:
    """What the exported verifier wrote."""

    rewards: dict[str, float]
    verdicts: list[dict[str, str]]

    @property
    def statuses(self) -> dict[str, str]:
        return {verdict["item"]: verdict["status"] for verdict in self.verdicts}

    def evidence(self, item: str) -> str:
        [verdict] = [verdict for verdict in self.verdicts if verdict["item"] == item]
        return verdict["evidence"]


def verify(task: Task, files: dict[str, bytes], folder: Path) -> Exported:
    """The exported verifier over a workspace with these files, in the task's own environment."""
    save_task(task, folder / "task")
    write_tree({**task.workspace, **files}, folder / "workspace")
    tests, reward = folder / "task" / "tests", folder / "reward.json"
    python = task_environment(task) / "bin" / "python"
    command = verifier_command(python, folder / "workspace", tests, reward)
    path = f"{python.parent}{os.pathsep}{os.defpath}"
    subprocess.run(command, check=True, env={"PATH": path}, timeout=300)
    return Exported(json.loads(reward.read_text()), json.loads((folder / "verdicts.json").read_text()))


def graded(task: Task, files: dict[str, bytes]) -> dict[str, str]:
    """Item → status as `assay grade` has it; links, canaries and the like are left out."""
    verdicts = [
        verdict
        for verdict in grade_now(task, Submission(files)).verdicts
        if verdict.phase != "integrity" or verdict.item in ("integrity.startup", "integrity.tests")
    ]
    return {verdict.item: verdict.status for verdict in verdicts}


@pytest.mark.long
@pytest.mark.parametrize("task", load_suite("demo").tasks, ids=lambda task: task.id)
def test_both_say_the_same_of_the_solution_and_of_a_broken_variant(task: Task, tmp_path: Path) -> None:
    solution = verify(task, task.gold_files, tmp_path / "solution")
    assert solution.statuses == graded(task, task.gold_files)
    assert (solution.rewards["reward"], solution.rewards["unknown"]) == (1.0, 0.0)
    changes = task.broken[min(task.broken)]
    broken = verify(task, {**task.gold_files, **changes}, tmp_path / "broken")
    expected = graded(task, {**task.gold_files, **changes})
    assert broken.statuses.keys() == expected.keys()
    assert without_drawn(broken.statuses, task) == without_drawn(expected, task)
    assert broken.rewards["reward"] == 0.0


def without_drawn(statuses: dict[str, str], task: Task) -> dict[str, str]:
    """Without the numbers of fresh seeds: each grader draws its own, and some seeds hide a fault."""
    fresh = tuple(f"result.{variation.name}." for variation in task.assay.variations if variation.fresh)
    return {item: status for item, status in statuses.items() if not item.startswith(fresh)}


RUN = b"""import json, method
json.dump({"first": method.double(1.25), "second": 1.5}, open("results.json", "w"))
"""
METHOD = b"def double(value):\n    return 2 * value\n"
DESIGN = b"""[[variable]]
name = "learning rate"
role = "constant"
values = ["1e-3"]
"""
CHECK = b"""import json
wrote = json.load(open("outputs/default/results.json"))
assert open("submission/run.py").read()
raise SystemExit(0 if wrote["first"] == 2.5 else 1)
"""
REQUIREMENTS = b"""[[requirement]]
id = "exact"
text = "The first number is 2.5."
check = "checks/exact.py"

[[requirement]]
id = "doubles"
text = "It doubles."
gold = ["method.py"]

[[requirement]]
id = "documented"
text = "The code says why."
"""
CONCLUSION = b"""[[claim]]
id = "outcome"
question = "What follows?"
kind = "statement"
answer = "The first is higher than the second."

[[claim]]
id = "which"
question = "Is the first higher?"
kind = "direction"
paths = ["first", "second"]
answer = "higher"
"""


def experiment(**limits: object) -> Task:
    """An experiment with requirements that no check decides, and a claim in words."""
    table = {
        "id": "words",
        "kind": "experiment",
        "run": {"command": "python run.py", "results": "results.json", "seconds": 20.0, **limits},
        "metrics": [{"name": "first", "path": "first", "absolute": 0.01}],
        "submission": {"required": ["run.py", "design.json", "conclusion.json"]},
    }
    claims = {"outcome": "The first is higher than the second.", "which": " Higher! "}
    stated = {"constant": {"Learning_Rate": 0.001}}
    return Task(
        config=TaskConfig.model_validate({"task": {"name": "assay/words"}, "metadata": {"assay": table}}),
        instruction="Which number is higher?\n",
        environment={"workspace/notes.txt": b"Nothing yet.\n"},
        solution={
            "files/run.py": RUN,
            "files/method.py": METHOD,
            "files/design.json": json.dumps(stated).encode(),
            "files/conclusion.json": json.dumps({"claims": claims}).encode(),
        },
        tests={
            "results.json": b'{"default": {"first": [2.5, 2.5, 2.5]}}',
            "design.toml": DESIGN,
            "checks/exact.py": CHECK,
            "requirements.toml": REQUIREMENTS,
            "conclusion.toml": CONCLUSION,
        },
    )


def test_without_a_judge_both_leave_words_and_unchecked_code_unknown(tmp_path: Path) -> None:
    task = experiment()
    solution = verify(task, task.gold_files, tmp_path / "solution")
    assert solution.statuses == graded(task, task.gold_files)
    assert [item for item, status in solution.statuses.items() if status != "met"] == [
        "requirement.documented"
    ]
    assert (solution.rewards["reward"], solution.rewards["unknown"]) == (0.0, 1.0)
    claims = {"outcome": "It rises by 93.7.", "which": "lower"}
    other = {
        **task.gold_files,
        "method.py": b"def double(value):\n    return value + value + 0.001\n",
        "design.json": b'{"constant": {"rate of learning": "0.1 %"}}',
        "conclusion.json": json.dumps({"claims": claims}).encode(),
    }
    found = verify(task, other, tmp_path / "other")
    assert found.statuses == graded(task, other)
    assert set(found.statuses.values()) == {"met", "unmet", "unknown"}
    assert all(verdict["evidence"] for verdict in found.verdicts)


SPARSE = b"""open("%s", "ab").truncate(%d << 20)
"""


@pytest.mark.parametrize(("megabytes", "status"), [(300, "met"), (100_000, "unmet")])
def test_a_large_output_counts_within_the_limits_of_the_task(
    megabytes: int, status: str, tmp_path: Path
) -> None:
    task = experiment(outputs=["draws.bin"])
    files = {**task.gold_files, "run.py": RUN + SPARSE % (b"draws.bin", megabytes)}
    verified = verify(task, files, tmp_path)
    assert verified.statuses["execution.default"] == status
    assert graded(task, files)["execution.default"] == status
    if status == "unmet":
        assert verified.evidence("execution.default") == (
            "draws.bin was refused: is too large: 104,857,600,000 bytes, at most 536,870,912 are allowed"
        )


def test_results_and_artefacts_over_the_limits_are_refused(tmp_path: Path) -> None:
    task, built = experiment(), challenge(reference=0.4)
    run = RUN + SPARSE % (b"results.json", 100_000)
    verified = verify(task, {**task.gold_files, "run.py": run}, tmp_path / "results")
    assert "results.json was refused: is too large" in verified.evidence("execution.default")
    build = built.gold_files["build.sh"] + b"truncate -s 100G made.json\n"
    verified = verify(built, {"build.sh": build}, tmp_path / "artefact")
    assert "without made.json (is too large: 107,374,182,400 bytes" in verified.evidence("execution.build")


def test_files_of_a_run_are_taken_without_their_holes_and_no_more_of_all_than_is_allowed(
    tmp_path: Path,
) -> None:
    for name in ("first", "second", "third"):
        with (tmp_path / name).open("wb") as file:
            file.truncate(40 << 20)
            file.seek(20 << 20)
            file.write(name.encode())
    limits = SimpleNamespace(file_bytes=64 << 20, total_bytes=100 << 20)
    names = ["first", "second", "third", "none"]
    folder, refused = take_written(tmp_path, tmp_path / "taken", names, limits)
    assert refused == {"third": "is too large: 41,943,040 bytes, at most 20,971,520 are allowed"}
    assert sorted(file.name for file in folder.iterdir()) == ["first", "second"]
    assert (folder / "second").read_bytes() == (tmp_path / "second").read_bytes()
    assert (folder / "second").stat().st_blocks <= (tmp_path / "second").stat().st_blocks


def test_whether_unchanged_code_ran_only_grading_knows(tmp_path: Path) -> None:
    task = experiment()
    unused = RUN.replace(b", method", b"").replace(b"method.double(1.25)", b"5 / 2")
    files = {**task.gold_files, "run.py": unused}
    assert graded(task, files)["requirement.doubles"] == "unmet"
    [doubles] = [
        verdict
        for verdict in verify(task, files, tmp_path).verdicts
        if verdict["item"] == "requirement.doubles"
    ]
    assert doubles["status"] == "unknown"
    assert "does not follow" in doubles["evidence"]


@pytest.mark.parametrize(
    ("path", "evidence"),
    [
        ("json/__init__.py", "the standard module 'json'"),
        ("patch.pth", "would be run by Python"),
        ("sitecustomize.py", "would be run by Python"),
        ("report/__init__.py", "the given report.py"),
    ],
)
def test_files_that_stand_before_modules_are_refused_by_both(
    path: str, evidence: str, tmp_path: Path
) -> None:
    words = experiment()
    given = {**words.environment, "workspace/report.py": b"import json\n"}
    table = words.assay.model_dump(exclude_defaults=True)
    table["submission"]["editable"] = []
    config = TaskConfig.model_validate({"task": {"name": "assay/toy"}, "metadata": {"assay": table}})
    task = words.model_copy(update={"environment": given, "config": config})
    files = {**task.gold_files, path: b"import os\n"}
    exported = verify(task, files, tmp_path)
    assert exported.statuses["integrity.startup"] == graded(task, files)["integrity.startup"] == "unmet"
    assert evidence in exported.verdicts[0]["evidence"]
    assert exported.rewards["reward"] == 0.0


RUNS_TESTS = b"""import json, stats
passed = {}
for name, holds in (("mean", lambda: stats.mean([1, 3]) == 2), ("total", lambda: stats.total([1]) == 1)):
    try:
        passed[name] = int(holds())
    except NotImplementedError:
        passed[name] = 0
json.dump({"passed": passed}, open("test_results.json", "w"))
"""
TOTAL = b"def total(values):\n    return sum(values)\n\n\n"
MEAN = b"def mean(values):\n    return sum(values) / len(values)\n"
ALWAYS = b"""class Always:
    def __eq__(self, other):
        return True


def mean(values):
    return Always()
"""


FORGE = b"""import json, os
    json.dump({"passed": {"mean": 1, "total": 1}}, open("test_results.json", "w"))
    os._exit(0)
    """
CHANCE = b"import random\n\n\ndef mean(values):\n    return 2 if values == [1, 3] else random.random()\n"


def with_unit_tests(program: bytes = RUNS_TESTS) -> Task:
    """A masked task whose run is one of unit tests; its program needs no pytest."""
    command, names = "python assay_run_tests.py", ("mean", "total")
    table = {
        "id": "tested",
        "kind": "masked",
        "run": {"command": command, "results": "test_results.json", "seconds": 20.0},
        "metrics": [{"name": name, "path": f"passed.{name}", "relative": 1e-7} for name in names],
        "masks": [{"file": "stats.py", "function": "mean"}],
        "submission": {"editable": ["stats.py"]},
    }
    stub = TOTAL + b"def mean(values):\n    raise NotImplementedError\n"
    return Task(
        config=TaskConfig.model_validate({"task": {"name": "assay/tested"}, "metadata": {"assay": table}}),
        instruction="Fill in `mean`.\n",
        environment={"workspace/stats.py": stub, "workspace/assay_run_tests.py": program},
        solution={"files/stats.py": TOTAL + MEAN},
        tests={"results.json": b'{"default": {"mean": [1, 1, 1], "total": [1, 1, 1]}}'},
    )


@pytest.mark.parametrize(
    ("code", "status", "evidence"),
    [
        (MEAN, "met", "calls of mean give the solution's answer"),
        (ALWAYS, "unmet", "0 of 20 fresh calls of mean"),
        (MEAN.replace(b"return", FORGE + b"return"), "unmet", "0 of 20 fresh calls of mean"),
        (b"def mean(values):\n    return 2\n", "unmet", "fresh calls of mean"),
    ],
    ids=["solution", "equal to everything", "early end", "constant"],
)
def test_both_compare_fresh_calls_where_unit_tests_pass(
    code: bytes, status: str, evidence: str, tmp_path: Path
) -> None:
    task, files = with_unit_tests(), {"stats.py": TOTAL + code}
    exported = verify(task, files, tmp_path)
    assert exported.statuses == graded(task, files)
    [verdict] = [verdict for verdict in exported.verdicts if verdict["item"] == "integrity.tests"]
    assert verdict["status"] == status
    assert evidence in verdict["evidence"]


@pytest.mark.parametrize(("code", "status"), [(MEAN, "met"), (ALWAYS, "unmet")], ids=["right", "constant"])
def test_both_call_a_package_in_place_of_the_masked_module(code: bytes, status: str, tmp_path: Path) -> None:
    task, files = with_unit_tests(), {"stats.py": TOTAL + MEAN, "stats/__init__.py": TOTAL + code}
    exported = verify(task, files, tmp_path)
    assert exported.statuses == graded(task, files)
    assert exported.statuses["integrity.tests"] == status


def test_where_the_solution_gives_no_fresh_calls_nothing_is_known(tmp_path: Path) -> None:
    task = with_unit_tests().model_copy(update={"solution": {"files/stats.py": TOTAL + CHANCE}})
    files = {"stats.py": TOTAL + MEAN}
    exported = verify(task, files, tmp_path)
    assert exported.statuses == graded(task, files)
    [verdict] = [verdict for verdict in exported.verdicts if verdict["item"] == "integrity.tests"]
    assert (verdict["status"], verdict["owner"]) == ("unknown", "task")


def test_a_file_that_stands_where_the_programs_go_is_replaced(tmp_path: Path) -> None:
    task, files = with_unit_tests(), {"stats.py": TOTAL + MEAN, "assay_fresh_calls": b"a file"}
    exported = verify(task, files, tmp_path)
    assert exported.statuses == graded(task, files)
    assert exported.statuses["integrity.tests"] == "met"


def test_a_file_without_masked_functions_is_not_read(tmp_path: Path) -> None:
    task = with_unit_tests()
    files = {"stats.py": TOTAL + MEAN, "table.py": b"def x(:" + b"[0," * 1_000_000}
    exported = verify(task, files, tmp_path)
    assert exported.statuses == graded(task, files)
    assert exported.statuses["integrity.tests"] == "met"


BURN = b"""import os, time
for _ in range(2):
    if os.fork() == 0:
        while time.process_time() < 3.0:
            pass
        os._exit(0)
for _ in range(2):
    os.wait()
"""


def test_processes_side_by_side_share_the_time_of_a_run_on_one_core(tmp_path: Path) -> None:
    task = experiment(seconds=4.0, cores=1)
    files = {**task.gold_files, "method.py": BURN + METHOD}
    [execution] = [
        verdict
        for verdict in verify(task, files, tmp_path).verdicts
        if verdict["item"] == "execution.default"
    ]
    assert execution["status"] == "unmet"
    assert "limit" in execution["evidence"]


SUM = b"import sys\nfor line in sys.stdin:\n    print(int(line) + 1, flush=True)\n"
GREEDY = b"hoard = bytearray(200_000_000)\n" + SUM


def served_challenge(serve: str = "python serve.py") -> Task:
    task = challenge(serve=serve, serve_files=["serve.py", "made.json"], serve_memory_mb=100, reference=0.5)
    solution = {**task.solution, "files/serve.py": SUM}
    return task.model_copy(update={"tests": {"evaluate.py": ASKS}, "solution": solution})


@pytest.mark.parametrize(
    ("changes", "status"),
    [({}, "met"), ({"serve.py": GREEDY}, "unmet"), ({"build.sh": b"exit 3\n"}, "unmet")],
    ids=["solution", "too much memory", "no build"],
)
def test_a_served_challenge_is_the_same_for_both(
    changes: dict[str, bytes], status: str, tmp_path: Path
) -> None:
    task = served_challenge()
    files = {**task.gold_files, **changes}
    exported = verify(task, files, tmp_path)
    assert exported.statuses == graded(task, files)
    assert exported.statuses["score.reference"] == status


COUNTS_FOLDERS = b"""echo '{"score": '$(find -name 'empty*' | wc -l)', "honest": true}' > made.json\n"""


def test_the_build_of_a_challenge_sees_few_names_of_empty_folders(tmp_path: Path) -> None:
    task = challenge(reference=4.0)
    names = [f"empty{number:03}{'x' * 200}" for number in range(100)]
    for name in names:
        (tmp_path / "workspace" / name).mkdir(parents=True)
    files = {"build.sh": COUNTS_FOLDERS}
    exported = verify(task, files, tmp_path)
    inside = grade_now(task, Submission(files, folders=tuple(names)))
    [score] = [verdict for verdict in inside.verdicts if verdict.item == "score.reference"]
    assert exported.evidence("score.reference") == score.evidence
    assert "worth 2.0000 points" in score.evidence


@pytest.mark.long
def test_both_draw_new_inputs_where_the_task_asks_for_it(tmp_path: Path) -> None:
    right, guess = {"build.sh": READS_SEED}, {"build.sh": b"""echo '{"seed": 0}' > made.json\n"""}
    for name, files, status in (("right", right, "met"), ("guess", guess, "unmet")):
        assert graded(with_draw(), files)["score.reference"] == status
        assert verify(with_draw(), files, tmp_path / name).statuses["score.reference"] == status


def test_inputs_that_are_drawn_anew_leave_the_score_of_the_exported_verifier_unknown(tmp_path: Path) -> None:
    draw = b"from pathlib import Path\nPath('inputs/texts').mkdir(parents=True)\n"
    exported = verify(with_draw(draw), {"build.sh": READS_SEED}, tmp_path)
    (verdict,) = [verdict for verdict in exported.verdicts if verdict["item"] == "score.reference"]
    assert verdict["status"] == "unknown"
    assert "cannot put them in the place of /inputs" in verdict["evidence"]


def test_a_broken_evaluator_is_unknown_and_one_that_the_agent_broke_is_unmet(tmp_path: Path) -> None:
    task = challenge(reference=0.4)
    files = {"build.sh": b"echo '[]' > made.json\n"}
    assert verify(task, files, tmp_path / "agent").statuses == graded(task, files)
    broken = task.model_copy(update={"tests": {"evaluate.py": b"raise SystemExit(3)\n"}})
    exported = verify(broken, task.gold_files, tmp_path / "task")
    assert exported.statuses == graded(broken, task.gold_files)
    assert exported.statuses["score.reference"] == "unknown"
    assert exported.rewards["reward"] == 0.0


def test_an_input_that_the_container_lacks_leaves_the_score_unknown(tmp_path: Path) -> None:
    task = challenge(reference=0.4)
    needed = {"name": "weights", "origin": "nowhere", "licence": "none"}
    table = task.assay.model_dump(exclude_defaults=True) | {"inputs": [needed]}
    config = TaskConfig.model_validate({"task": {"name": "assay/toy"}, "metadata": {"assay": table}})
    exported = verify(task.model_copy(update={"config": config}), task.gold_files, tmp_path)
    assert exported.statuses == {"integrity.startup": "met", "score.reference": "unknown"}
    assert "/inputs/weights" in exported.verdicts[-1]["evidence"]


def test_what_is_copied_imports_the_standard_library_and_itself_alone() -> None:
    sources = verifier_files()
    for path, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            beside = isinstance(node, ast.ImportFrom) and node.level == 1
            for name in names:
                copied = name.startswith(("assay.rules", "assay.exported"))
                in_one_folder = beside or "/injected/" in path
                copied = copied or (in_one_folder and path.replace(Path(path).stem, name) in sources)
                assert copied or name.partition(".")[0] in sys.stdlib_module_names, f"{path}: {name}"
