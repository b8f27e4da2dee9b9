"""EXP-Bench: the whole of the published tasks, and a stand-in from its files to what its solution runs."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmarks import expbench, load_suite
from assay.benchmarks.expbench.audit import audit, gradable
from assay.benchmarks.expbench.contamination import TaskText, find_contaminated
from assay.benchmarks.expbench.gold_runs import gold_runs
from assay.benchmarks.expbench.imports import search_folders
from assay.benchmarks.expbench.instruction import write_instruction
from assay.benchmarks.expbench.paths import inside, references
from assay.benchmarks.expbench.solution import find_runnable
from assay.benchmarks.expbench.variables import ROLES, read_variables
from assay.errors import TaskError, UsageError
from assay.tasks import Task, load_task, save_task
from assay.tasks.files import write_tree
from assay.tasks.lock import EnvironmentLock
from assay.tasks.selection import Selection
from assay.workspace.notebooks import notebook_script
from tests.benchmarks.published_experiments import (
    PAPER,
    shared_tasks,
    write_repository,
    write_tasks,
)


@pytest.fixture(scope="module")
def whole() -> expbench.Records:
    """Everything that was published."""
    return expbench.read_records(shared_tasks())


@pytest.fixture
def fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache holds the stand-in: three tasks and their repository."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    expbench.fetch(str(write_tasks(tmp_path / "tasks")))
    commit = write_repository(tmp_path / "two")
    origin = expbench.fetch_repository(PAPER, str(tmp_path / "two"), commit)
    assert sorted(origin.left_out) == [
        "odd\\name.txt: its name is not allowed in a task",
        "out.py: a link to /etc/passwd, which is not a file of the commit",
    ]
    return tmp_path


def made(number: int) -> Task:
    """One task of the stand-in."""
    [task] = load_suite(f"expbench?ids={PAPER}/{number}").tasks
    return task


def test_every_published_task_loads_with_its_type(whole: expbench.Records) -> None:
    assert (len(whole.tasks), len(whole.papers)) == (461, 51)
    assert Counter(task.type for task in whole.tasks) == {"T1": 210, "T2": 123, "T3": 128}
    assert len({task.id for task in whole.tasks}) == 461
    assert whole.tasks[0].id == "iclr2024/17388/0"
    assert gradable(whole) == {
        "design": 3079,
        "implementation": 3988,
        "execution": 461,
        "conclusion": 461,
    }


def test_the_audit_counts_what_the_notes_count(whole: expbench.Records) -> None:
    counts = Counter(each.kind for each in audit(whole))
    assert counts == {
        "wrapped": 42,
        "ambiguity": 1,
        "method": 2,
        "duplicate": 2,
        "table": 125,
        "leak": 38,
        "foreign": 12,
        "prefix": 334,
        "answerless": 128,
        "unmasked": 123,
        "paths": 17,
        "unpinned": 1,
    }


def test_the_pins_count_the_paths_that_the_tasks_name(whole: expbench.Records) -> None:
    for paper_id, paper in whole.papers.items():
        named = {path for task in whole.of(paper) for path in (*task.source, *task.masked)}
        assert paper.pin is not None
        assert len(named) == paper.pin.paths_named, paper_id
        assert not any(path.startswith(("/", "workspace/", "tmp/")) for path in named)


def test_lite_is_one_task_a_paper_and_like_the_whole(whole: expbench.Records) -> None:
    lite = expbench.members(whole, "lite")
    papers = {paper.name for paper in whole.papers.values()}
    assert papers - {task.paper.name for task in lite} == {"neurips2024/97674"}
    assert len(lite) == 50
    assert not any(task.is_foreign for task in lite)
    shares = Counter(task.type for task in lite)
    for kind, count in Counter(task.type for task in whole.tasks).items():
        assert abs(shares[kind] / 50 - count / 461) < 0.03
    again = expbench.members(expbench.read_records(whole.root), "lite")
    assert [task.id for task in again] == [task.id for task in lite]
    other = expbench.members(whole, "lite", seed=1)
    assert {task.id for task in other} != {task.id for task in lite}


def test_tasks_with_another_papers_text_are_found_and_left_out_unless_asked_for(
    whole: expbench.Records,
) -> None:
    foreign = [task.id for task in whole.tasks if task.is_foreign]
    expected = [f"neurips2024/96897/{number}" for number in range(9)]
    expected += [f"neurips2024/97674/{number}" for number in range(3)]
    assert foreign == expected
    default = {task.id for task in expbench.select_records(whole, Selection())}
    assert len(default) == 449
    assert not default & set(foreign)
    assert len(expbench.select_records(whole, Selection(split="full"))) == 461
    [named] = expbench.select_records(whole, Selection(ids=("neurips2024/97674/1",)))
    assert named.is_foreign


def test_contamination_is_found_by_passages_and_vocabulary_not_by_shared_phrases() -> None:
    papers = {
        "a": "Tracing workflows with OptoPrime",
        "b": "Block memory optimizer BAdam",
        "c": "Calibration",
    }
    phrase = (
        "Accept command line arguments for the input and the output and the seed of the whole experiment."
    )
    trace = "OptoPrime needs one call for each step of the tracing of workflows, however large it is."
    trace = f"{trace}\nOther tools for workflows need many more calls."
    tasks = [
        TaskText("a/0", "a", f"Does OptoPrime win?\n{trace}\n{phrase}"),
        TaskText("b/0", "b", f"Does BAdam save memory?\n{trace}\nIt saves half."),
        TaskText("b/1", "b", f"Does BAdam save memory?\n{phrase}"),
        TaskText("c/0", "c", f"Is it calibrated?\n{phrase}"),
    ]
    found = find_contaminated(tasks, papers)
    assert [(task, foreign.paper) for task, foreign in found.items()] == [("b/0", "a")]


def test_cpu_is_what_declares_no_gpu_and_what_was_seen_to_run_without_one(whole: expbench.Records) -> None:
    cpu = {task.id for task in expbench.members(whole, "cpu")}
    declared = {f"iclr2024/18439/{number}" for number in range(3)}
    declared |= {f"neurips2024/98316/{number}" for number in range(10)}
    seen = {run.task for run in gold_runs().values() if run.status == "runs"}
    assert cpu == declared | seen
    with pytest.raises(UsageError, match="no split"):
        expbench.members(whole, "tpu")


def test_the_runs_of_published_solutions_are_complete_rows_of_published_tasks(
    whole: expbench.Records,
) -> None:
    tasks = {task.id: task for task in whole.tasks}
    rows = list(gold_runs().values())
    assert {run.task for run in rows} <= set(tasks)
    assert {task.id for task in expbench.members(whole, "cpu")} <= {run.task for run in rows}
    for run in rows:
        if run.status == "runs":
            assert run.runs >= 1
            assert run.seconds is not None
            assert run.numbers is not None
            assert tasks[run.task].type != "T3"
        else:
            assert run.notes, run.task
            assert run.truth == "unverified"
        assert run.why, run.task
    listed = {row.id: row.gold for row in expbench.listing(whole)}
    assert "gold runs in" in listed["iclr2024/18439/1"]
    assert "outcome contradicted" in listed["neurips2024/98316/6"]
    assert listed["neurips2024/98316/2"] == "gold does not run here: command"


def test_every_published_command_is_whole_and_from_the_root(whole: expbench.Records) -> None:
    for task in whole.tasks:
        tree = dict.fromkeys((*task.source, *task.masked), b"")
        found = find_runnable(task, tree)
        assert bool(found.commands) != bool(found.reason)
        for command in found.commands:
            assert "/workspace" not in command
            assert "<" not in command


@pytest.mark.usefixtures("fetched")
def test_defects_of_the_files_are_mended_and_told() -> None:
    records = expbench.read_records(expbench.require())
    first, second, third = records.tasks
    assert [task.type for task in records.tasks] == ["T1", "T2", "T3"]
    assert {each.kind for each in first.defects} == {"table", "leak", "prefix"}
    assert first.leaked == ["14.25"]
    assert {each.kind for each in second.defects} == {"wrapped", "method", "prefix"}
    assert second.source == ("examples/walk.ipynb", "method.py")
    assert "- setup:\n  - goal: Double it" in second.method
    assert [(each.name, each.role) for each in second.variables] == [
        ("data", "constant"),
        ("seeds", "constant"),
        ("method", "independent"),
        ("gain", "dependent"),
    ]
    assert {"wrapped", "ambiguity", "duplicate"} <= {each.kind for each in third.defects}


@pytest.mark.usefixtures("fetched")
def test_a_masked_task_shows_nothing_of_what_was_taken_out() -> None:
    task = made(0)
    shown = task.workspace
    assert "experiments/compare.py" not in shown
    assert {"old/compare_copy.py", "paper.pdf"} & set(shown) == set()
    assert shown["link.py"] == shown["method.py"]
    everything = "\n".join(data.decode() for data in shown.values()) + task.instruction
    for telltale in ("experiments/compare.py", "gain_of_first", "doubling them beats adding one"):
        assert telltale not in everything
    documents = [shown[path].decode() for path in ("README.md", "docs/data.txt", "examples/walk.ipynb")]
    assert not any("14.25" in text for text in documents)
    assert shown["data/numbers.txt"] == b"14.25\n"
    assert "`method.py` holds both methods." not in shown["README.md"].decode()
    assert "Install it, then compare the methods:" in shown["README.md"].decode()


@pytest.mark.usefixtures("fetched")
def test_the_instruction_is_the_published_words_without_the_outcome() -> None:
    task = made(0)
    assert "14.25" not in task.instruction
    assert "The gain is near (redacted) and never 7" in task.instruction
    assert "cites Table 3 of the paper" in task.instruction
    assert "Write a script that compares the methods." in task.instruction
    notes = json.loads(task.tests["making.json"])
    assert notes["instruction"][0] == "method: number: cut '14.25'"
    assert notes["masked"] == ["experiments/compare.py"]
    assert any(line.startswith("README.md: lines removed") for line in notes["scrubbed"])
    assert any(line.startswith("old/compare_copy.py: left out") for line in notes["scrubbed"])


@pytest.mark.usefixtures("fetched")
def test_published_prompts_are_another_task_with_the_original_words() -> None:
    [task] = load_suite(f"expbench?ids={PAPER}/0&prompts=published").tasks
    assert "The gain is near 14.25 and never 7" in task.instruction
    assert task.digest != made(0).digest
    suite = load_suite("expbench?prompts=published", Selection(ids=(f"{PAPER}/0",)))
    assert suite.tasks[0].digest == task.digest
    assert suite.source == f"expbench?ids={PAPER}/0&prompts=published"
    for name, complaint in (
        ("demo?prompts=published", "no published prompts"),
        ("expbench?prompts=x", "is 'x'"),
    ):
        with pytest.raises(UsageError, match=complaint):
            load_suite(name)


@pytest.mark.usefixtures("fetched")
def test_truth_and_contract_of_a_masked_task(tmp_path: Path) -> None:
    task = made(0)
    assert task.assay.labels == {
        "type": "T1",
        "category": "Causality",
        "difficulty": "2",
        "conference": "neurips2024",
        "paper": "98316",
        "solution": "runs",
        "gold": "data",
        "truth": "unverified",
    }
    assert task.assay.submission.required == ["design.json", "conclusion.json", "reproduce.sh"]
    assert task.design is not None
    assert task.requirements is not None
    assert task.conclusion is not None
    assert {each.name: each.values for each in task.design.variable} == {
        "data": ["three numbers"],
        "seeds": ["0"],
        "method": ["first", "second"],
        "gain": [],
    }
    assert [each.gold for each in task.requirements.requirement] == [
        ["experiments/compare.py"],
        ["method.py", "reproduce.sh"],
        ["experiments/compare.py", "reproduce.sh"],
    ]
    assert task.conclusion.claim[0].kind == "statement"
    save_task(task, tmp_path / "saved")
    assert load_task(tmp_path / "saved").digest == task.digest


@pytest.mark.usefixtures("fetched")
@pytest.mark.parametrize(
    ("number", "command", "printed"),
    [
        (0, "python experiments/compare.py", {"first method": 14.0, "second method": 10.0}),
        (1, "cd examples && python walk.notebook.py", {"doubled": 42.0}),
    ],
)
def test_the_solution_runs_what_the_record_names(
    number: int, command: str, printed: dict[str, float], tmp_path: Path
) -> None:
    task = made(number)
    folder = tmp_path / "run"
    write_tree({**task.workspace, **task.gold_files}, folder)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["bash", "reproduce.sh"], cwd=folder, env={**os.environ, "PATH": path})
    assert done.returncode == 0
    results = json.loads((folder / "results.json").read_text())
    assert [(each["command"], each["exit"]) for each in results["commands"]] == [(command, 0)]
    assert results["printed"] == printed


@pytest.mark.usefixtures("fetched")
def test_a_solution_that_breaks_says_so(tmp_path: Path) -> None:
    task = made(0)
    folder = tmp_path / "run"
    write_tree({**task.workspace, **task.gold_files, "method.py": b"raise SystemExit(3)\n"}, folder)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["bash", "reproduce.sh"], cwd=folder, env={**os.environ, "PATH": path})
    assert done.returncode != 0
    assert json.loads((folder / "results.json").read_text())["commands"][0]["exit"] == 3


@pytest.mark.usefixtures("fetched")
def test_a_task_without_an_answer_has_only_what_is_known_and_a_judge_reads_what_ran() -> None:
    task = made(2)
    assert task.requirements is not None
    (carried_out,) = task.requirements.requirement
    assert carried_out.id == "experiment"
    assert task.design is None
    assert task.conclusion is not None
    assert task.conclusion.claim[0].question in carried_out.text
    assert set(task.gold_files) == {"conclusion.json"}
    assert task.assay.labels["solution"] == "no run is known"
    assert "no implementation was found" in json.loads(task.tests["making.json"])["not runnable"][0]


@pytest.mark.usefixtures("fetched")
def test_a_lock_gives_the_environment() -> None:
    assert made(0).assay.requirements == []
    place = expbench.lock_file(expbench.pin_of(PAPER))
    lock = {"repository": "two", "python": "3.10", "requirements": ["numpy==1.26.4"]}
    place.write_text(json.dumps(lock))
    suite = load_suite(f"expbench?ids={PAPER}/0")
    assert suite.tasks[0].assay.requirements == ["numpy==1.26.4"]
    assert suite.tasks[0].assay.python == "==3.10.*"
    assert "environment" not in suite.needs.get(suite.tasks[0].id, "")
    place.write_text("{}")
    with pytest.raises(TaskError, match=r"98316\.json"):
        load_suite(f"expbench?ids={PAPER}/0")


def test_a_bare_mirror_will_do_and_a_plain_folder_will_not(fetched: Path) -> None:
    subprocess.run(["git", "clone", "-q", "--bare", "two", "bare.git"], cwd=fetched, check=True)
    commit = write_repository(fetched / "other")
    with pytest.raises(UsageError, match=f"has no commit {commit[:9]}0000"):
        expbench.fetch_repository(PAPER, str(fetched / "bare.git"), f"{commit[:9]}0000")
    at = subprocess.run(["git", "rev-parse", "HEAD"], cwd=fetched / "two", capture_output=True, text=True)
    origin = expbench.fetch_repository("98316", str(fetched / "bare.git"), at.stdout.strip())
    assert origin.commit == at.stdout.strip()
    with pytest.raises(UsageError, match="not a git repository"):
        expbench.fetch_repository(PAPER, str(fetched / "tasks"))
    with pytest.raises(UsageError, match=r"no commit of .* is known"):
        expbench.fetch_repository("iclr2024/18540")
    with pytest.raises(UsageError, match="has no paper"):
        expbench.fetch_repository("iclr2024/98316")


def test_the_task_files_come_from_a_commit_too(fetched: Path) -> None:
    root = fetched / "curie"
    write_tasks(root / "benchmark" / "exp_bench")
    draft = root / "benchmark/exp_bench/outputs/logs/neurips2024/archived"
    draft.mkdir()
    (draft / "draft_complete_final.json").write_text('{"questions": [{}]}')
    commit = write_repository(root)
    assert expbench.fetch(str(root), commit).commit == commit
    assert len(expbench.read_records(expbench.require()).tasks) == 3


@pytest.mark.parametrize("kind", ["folder", "git"])
def test_no_task_file_is_a_link_to_a_file_of_this_machine(fetched: Path, tmp_path: Path, kind: str) -> None:
    root = write_tasks(tmp_path / "linked" / "benchmark" / "exp_bench")
    [*_, task_file] = sorted(root.glob("outputs/logs/*/*/*_complete_final.json"))
    task_file.rename(tmp_path / "private")
    task_file.symlink_to(tmp_path / "private")
    commit = write_repository(tmp_path / "linked") if kind == "git" else None
    with pytest.raises(TaskError, match="is a link, expected a plain file"):
        expbench.fetch(str(tmp_path / "linked"), commit)
    with pytest.raises(TaskError, match="is a link, expected a plain file"):
        expbench.read_records(tmp_path / "linked")
    task_file.unlink()
    task_file.parent.rename(tmp_path / "private folder")
    task_file.parent.symlink_to(tmp_path / "private folder")
    (tmp_path / "private").rename(task_file)
    with pytest.raises(TaskError, match="is a link, expected a folder"):
        expbench.fetch(str(root))


@pytest.mark.usefixtures("fetched")
def test_what_cannot_be_selected_is_one_clear_error() -> None:
    for name, complaint in (
        ("expbench?split=tpu", "no split"),
        ("expbench?n=2", "has no n"),
        (f"expbench?ids={PAPER}/9", "has no task"),
        ("demo?split=lite", "has no splits"),
    ):
        with pytest.raises(UsageError, match=complaint):
            load_suite(name)
    assert len(load_suite("expbench?split=cpu").tasks) == 3
    assert len(load_suite("expbench?split=lite").tasks) == 1
    assert load_suite("expbench?split=cpu&sample=2&seed=1").source == "expbench?split=cpu&sample=2&seed=1"
    assert len(load_suite("expbench?sample=2").tasks) == 2


def test_a_task_whose_repository_is_missing_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    with pytest.raises(UsageError, match="EXP-Bench is not fetched"):
        load_suite("expbench")
    expbench.fetch(str(write_tasks(tmp_path / "tasks")))
    with pytest.raises(UsageError, match="cannot be made") as caught:
        load_suite("expbench")
    assert f"assay fetch expbench --paper {PAPER}" in (caught.value.hint or "")


def test_a_split_is_whole_or_refused_and_what_has_no_pin_is_told(fetched: Path) -> None:
    write_tasks(fetched / "tasks", "iclr2024/18540")
    expbench.fetch(str(fetched / "tasks"))
    suite = load_suite("expbench")
    assert [task.id for task in suite.tasks] == [f"{PAPER}/{number}" for number in range(3)]
    assert "none is pinned" in suite.needs["iclr2024/18540/0"]
    with pytest.raises(UsageError, match="cannot be made"):
        load_suite("expbench?ids=iclr2024/18540")
    write_tasks(fetched / "tasks", "iclr2024/18439")
    expbench.fetch(str(fetched / "tasks"))
    with pytest.raises(UsageError, match=r"repositories of iclr2024/18439 are not fetched"):
        load_suite("expbench?split=cpu")
    assert len(load_suite(f"expbench?ids={PAPER}").tasks) == 3


def test_damaged_files_are_refused_by_name(tmp_path: Path) -> None:
    root = write_tasks(tmp_path)
    [path] = root.glob("outputs/logs/*/*/*.json")
    for text, complaint in (("{}", "not a list of tasks"), ('{"questions": [{}]}', "has no 'question'")):
        path.write_text(text)
        with pytest.raises(TaskError, match=complaint):
            expbench.read_records(root)
    with pytest.raises(UsageError, match="contains no tasks"):
        expbench.read_records(tmp_path / "outputs")


PATHS = st.from_regex(r"[a-z]{1,8}(/[a-z]{1,8}){0,3}\.py", fullmatch=True)


@given(PATHS, st.sampled_from(["/workspace/", "workspace/", "/tmp/repos/some/", "/", ""]))
def test_a_path_is_the_same_from_whichever_machine(path: str, prefix: str) -> None:
    if not path.startswith("workspace/"):
        assert inside(prefix + path) == path
        assert references(f"Step 1: do it (/workspace/{path}:1-9, 12)") == [path]


NAMED = st.dictionaries(st.text(min_size=1), st.one_of(st.text(), st.lists(st.text()), st.integers()))
DESIGNS = st.fixed_dictionaries({f"{role}_variables": NAMED for role in ROLES})


@given(DESIGNS)
def test_a_wrapped_design_is_the_design_and_loses_no_variable(design: dict[str, dict[str, object]]) -> None:
    plain, _ = read_variables(design)
    wrapped, complaints = read_variables({"design_complexity": design})
    assert wrapped == plain
    assert complaints[0][0] == "wrapped"
    assert [(each.role, each.name) for each in plain] == [
        (role, name) for role in ROLES for name in design[f"{role}_variables"]
    ]


def test_names_and_settings_stay_when_outcomes_are_redacted(whole: expbench.Records) -> None:
    named = {"iclr2024/19008/3", "neurips2024/97431/5", "neurips2024/94328/2", "iclr2024/18244/1"}
    looked_at = [task for task in whole.tasks if task.leaked or task.id in named]
    told = {task.id: write_instruction(task, 60, 60) for task in looked_at}
    assert "GPT-3.5-turbo" in told["iclr2024/19008/3"][0]
    assert "Qwen1.5-7B" in told["neurips2024/97431/5"][0]
    ratios, notes = told["neurips2024/94328/2"]
    assert "0.95" in ratios
    assert any(note.startswith("kept") for note in notes)
    assert "24.61" not in told["iclr2024/18244/1"][0]
    reported = {task for task, (_, notes) in told.items() if any(": cut " in note for note in notes)}
    leaking = {task.id for task in whole.tasks if task.leaked}
    kept = {task for task, (_, notes) in told.items() if any(note.startswith("kept") for note in notes)}
    assert reported | kept >= leaking


def test_own_modules_are_looked_for_where_they_alone_can_be() -> None:
    tree = [
        "a/only.py",
        "a/two.py",
        "b/two.py",
        "here.py",
        "c/beside.py",
        "d/beside.py",
        "a/pack/__init__.py",
    ]
    script = b"import json, here, two, only, beside, pack, numpy\nfrom . import x\n"
    assert search_folders({"c/script.py": script}, tree) == ["a"]
    assert search_folders({"script.py": b"import only ("}, tree) == []


def test_a_notebook_becomes_a_script_and_anything_else_does_not() -> None:
    cells = [
        {"cell_type": "code", "source": ["if True:\n", "    !ls\n", "display(1)"]},
        {"cell_type": "markdown", "source": "words"},
    ]
    script = notebook_script(json.dumps({"cells": cells}).encode())
    assert script is not None
    exec(compile(script, "notebook", "exec"), {})
    assert notebook_script(b"[]") is None
    assert notebook_script(b"\xff") is None


def test_a_script_prints_what_its_notebook_shows(tmp_path: Path) -> None:
    sources = [
        "%%bash\nls",
        "!pip install x\nexit(0) # restarts the runtime",
        "%matplotlib inline\nx = 'é'; len(x) + 1  # two",
        "max(\n    3,\n    4,\n)\n# the end",
        "x;",
        "None",
        "print('once')",
        "(",
    ]
    cells = [{"cell_type": "code", "source": source} for source in sources]
    script = notebook_script(json.dumps({"cells": cells[:-1]}).encode())
    assert script is not None
    (tmp_path / "script.py").write_bytes(script)
    ran = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True)
    assert ran.stdout.split() == ["2", "4", "once"]
    unreadable = notebook_script(json.dumps({"cells": cells[-1:]}).encode())
    assert unreadable is not None
    assert unreadable.split() == [b"("]


@pytest.mark.parametrize(
    ("line", "printed", "rows"),
    [
        ("calibration error: 0.1187", {"calibration error": 0.1187}, []),
        ("  X=0, Y=1, Z=[2]: 0.09", {"X=0, Y=1, Z=[2]": 0.09}, []),
        ("precision: 0.5, recall: 0.75 | f1: 6e-1", {"precision": 0.5, "recall": 0.75, "f1": 0.6}, []),
        ("loss = tensor(0.5, grad_fn=<Mean>)", {"loss": 0.5}, []),
        ("accuracy: 93.5%", {"accuracy": 93.5}, []),
        ("[[ 0.  2.994]", {}, [[0.0, 2.994]]),
        ("(tensor([[-0.04, 1e-3]]), tensor([3]))", {}, [[-0.04, 0.001, 3.0]]),
        ("[np.int64(3), np.int64(0)]", {}, [[3.0, 0.0]]),
        (" 17%|#| 1/6 [00:00<00:00, 44.1it/s]", {}, []),
        ("see data/part-3/file 7", {}, []),
    ],
)
def test_numbers_are_taken_from_what_a_published_program_prints(
    line: str, printed: dict[str, float], rows: list[list[float]], tmp_path: Path
) -> None:
    runner = Path(expbench.__file__).parent / "data" / "run_commands.py"
    command = [sys.executable, str(runner), f"echo {shlex.quote(line)}"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    results = json.loads((tmp_path / "results.json").read_text())
    assert (results["printed"], results["rows"], results["sentences"]) == (printed, rows, {})


def test_numbers_in_a_sentence_are_kept_with_its_words(tmp_path: Path) -> None:
    runner = Path(expbench.__file__).parent / "data" / "run_commands.py"
    text = "[SimiFeat] We find 45 corrupted instances from 150 instances"
    subprocess.run([sys.executable, str(runner), f"echo '{text}'"], cwd=tmp_path, check=True)
    results = json.loads((tmp_path / "results.json").read_text())
    assert results["sentences"] == {
        "[SimiFeat] We find # corrupted instances from # instances": [45.0, 150.0]
    }


@pytest.mark.usefixtures("fetched")
def test_a_task_without_its_environment_lacks_it_and_its_path_is_what_it_starts() -> None:
    suite = load_suite(f"expbench?ids={PAPER}/0")
    assert "its environment is not built" in suite.lacking[f"{PAPER}/0"]
    pin = expbench.pin_of(PAPER)
    lock = EnvironmentLock(repository="x", python="3.11", requirements=[])
    expbench.lock_file(pin).write_text(lock.model_dump_json())
    assert load_suite(f"expbench?ids={PAPER}/0").lacking == {}
    task_path = expbench.task_path(pin)
    assert task_path is not None
    assert set(task_path.entries) == {"experiments/compare.py", "examples/walk.ipynb"}
    assert "lib" in task_path.search
