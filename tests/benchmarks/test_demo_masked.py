"""The masked tasks of the demo suite: what holds of their folders, and that the code gives their gold."""

from __future__ import annotations

import ast
import io
import json
import keyword
import shlex
import subprocess
import sys
import tokenize
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pytest

from assay.benchmarks import load_suite
from assay.benchmarks.demo import DATA
from assay.grading import grade_now
from assay.masking.engine import find_leaks, mask
from assay.masking.experiment import Experiment, load_masked_tasks
from assay.rules.numbers import look_up
from assay.tasks.files import below, read_tree, write_tree
from assay.tasks.model import Task, parse_toml
from assay.workspace import Submission

FOLDERS = [DATA / "adaptive-rates", DATA / "label-spreading"]
HIDDEN = "other-data"
"""The variation that needs no bundled data, so that any environment with numpy can run it."""


def read_experiment(folder: Path) -> Experiment:
    return parse_toml((folder / "experiment.toml").read_bytes(), Experiment, folder.name)


def function_in(source: bytes, name: str) -> ast.FunctionDef:
    found = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.name == name
    ]
    assert len(found) == 1
    return found[0]


def without(source: bytes, name: str) -> bytes:
    return mask(source, [name]).source


def shape(node: ast.FunctionDef) -> list[str]:
    """The tokens of a function's body, its docstring left out, every name and number made equal."""
    docstring = ast.get_docstring(node) is not None
    text = "\n".join(ast.unparse(statement) for statement in node.body[docstring:])
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [_plain(token) for token in tokens if token.string.strip()]


def _plain(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.NAME and not keyword.iskeyword(token.string):
        return "name"
    return "0" if token.type == tokenize.NUMBER else token.string


def run(code: Mapping[str, bytes], folder: Path, data: Path, arguments: Sequence[str] = ()) -> object | None:
    """What a plain run writes, or None where it fails."""
    write_tree(code, folder)
    environment = {"ASSAY_DATA": str(data), "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "run.py", *arguments], cwd=folder, env=environment, capture_output=True, check=False
    )
    return json.loads((folder / "results.json").read_bytes()) if done.returncode == 0 else None


def disagreements(task: Task, results: object, expected: object | None = None) -> list[str]:
    """The numbers that differ from those of another run, or from the gold of the hidden data."""
    return [
        metric.name
        for metric in task.assay.metrics
        if not metric.agrees(
            task.gold[HIDDEN][metric.name] if expected is None else [look_up(expected, metric.path)],
            look_up(results, metric.path),
        )
    ]


def arguments_of(task: Task) -> list[list[str]]:
    """What each variation with a fixed command of its own adds to `python run.py`."""
    commands = [variation.command for variation in task.assay.variations if not variation.fresh]
    return [shlex.split(command)[2:] for command in commands if command is not None]


def test_six_tasks_of_rising_difficulty() -> None:
    tasks = [task for folder in FOLDERS for task in load_masked_tasks(folder)]

    assert sorted(len(task.assay.masks) for task in tasks) == [1, 1, 1, 2, 2, 3]
    assert len({task.id for task in tasks}) == 6


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
class TestEveryExperiment:
    def test_every_function_is_masked_in_some_task(self, folder: Path) -> None:
        experiment = read_experiment(folder)

        assert {number for ids in experiment.tasks for number in ids} == set(range(len(experiment.functions)))

    def test_every_function_has_three_broken_variants_and_none_is_unlisted(self, folder: Path) -> None:
        experiment = read_experiment(folder)

        for number in range(len(experiment.functions)):
            assert sum(each.function == number for each in experiment.broken) >= 3
        assert sorted(each.name for each in experiment.broken) == sorted(
            path.name.removesuffix(".patch") for path in (folder / "broken").iterdir()
        )

    def test_a_broken_variant_differs_from_gold_in_its_function_only(self, folder: Path) -> None:
        experiment = read_experiment(folder)
        functions = {broken.name: experiment.functions[broken.function] for broken in experiment.broken}
        tasks = load_masked_tasks(folder)

        assert {name for task in tasks for name in task.broken} == set(functions)
        for task in tasks:
            for name, variant in task.broken.items():
                wrong = functions[name]
                gold = task.gold_files[wrong.file]
                assert list(variant) == [wrong.file], name
                assert variant[wrong.file] != gold, name
                assert without(variant[wrong.file], wrong.function) == without(gold, wrong.function), name

    def test_gold_comes_from_three_runs(self, folder: Path) -> None:
        for task in load_masked_tasks(folder):
            assert all(len(runs) >= 3 for metrics in task.gold.values() for runs in metrics.values())

    def test_neither_paper_nor_prose_gives_a_body_away(self, folder: Path) -> None:
        for task in load_masked_tasks(folder):
            paper = "".join(task.workspace["paper.md"].decode().split())
            for each in task.assay.masks:
                body = mask(task.gold_files[each.file], [each.function]).bodies()
                lines = [line.strip() for text in body.values() for line in text.splitlines()]
                assert not [line for line in lines if len(line) > 12 and "".join(line.split()) in paper]
                for path, source in task.workspace.items():
                    assert not path.endswith(".py") or not find_leaks(source, body), path

    def test_no_near_twin_of_a_masked_function_is_left(self, folder: Path) -> None:
        files = below(read_tree(folder, folder.name), "code")
        code = {path: data for path, data in files.items() if path.endswith(".py")}
        for each in read_experiment(folder).functions:
            masked = shape(function_in(code[each.file], each.function))
            others = [
                node
                for source in code.values()
                for node in ast.walk(ast.parse(source))
                if isinstance(node, ast.FunctionDef) and node.name != each.function
            ]
            near = {
                node.name: round(SequenceMatcher(None, masked, shape(node), autojunk=False).ratio(), 2)
                for node in others
            }
            assert max(near.values()) <= 0.8, f"{each.function}: {near}"

    def test_the_gold_code_gives_the_gold_numbers(self, folder: Path, tmp_path: Path) -> None:
        task = load_masked_tasks(folder)[0]

        results = run({**task.workspace, **task.gold_files}, tmp_path, folder / "data/hidden.npz")

        assert results is not None
        assert disagreements(task, results) == []

    def test_the_masked_code_gives_nothing(self, folder: Path, tmp_path: Path) -> None:
        task = load_masked_tasks(folder)[0]

        assert run(task.workspace, tmp_path, folder / "data/hidden.npz") is None

    @pytest.mark.long
    def test_every_broken_variant_is_rejected(self, folder: Path, tmp_path: Path) -> None:
        for task in load_masked_tasks(folder):
            for name, changes in task.broken.items():
                assert self.is_rejected(task, changes, folder, tmp_path / task.id / name), name

    def is_rejected(self, task: Task, changes: Mapping[str, bytes], folder: Path, place: Path) -> bool:
        """Whether a run on the hidden data gives other numbers than the gold code, in some variation."""
        gold, data = {**task.workspace, **task.gold_files}, folder / "data/hidden.npz"
        results = run({**gold, **changes}, place, data)
        if results is None or disagreements(task, results):
            return True
        for arguments in arguments_of(task):
            results = run({**gold, **changes}, place, data, arguments)
            expected = run(gold, place.with_name("gold"), data, arguments)
            if results is None or disagreements(task, results, expected):
                return True
        return False


@pytest.mark.long
def test_rates_learned_by_heart_for_the_written_lengths_do_not_pass() -> None:
    """The function depends on the run's length alone, so some run must have one that nobody knows."""
    task = load_suite("demo").only(["assay.2401_3"]).tasks[0]
    gold: dict[str, Any] = {}
    exec(task.gold_files["schedule.py"], gold)
    table = {
        length: [gold["learning_rate"](step, length, 1.0) for step in range(1, length + 1)]
        for length in (60, 47)
    }
    known = f"{table}.get(steps, [0] * steps)"
    source = f"def learning_rate(step, steps, peak):\n    return peak * {known}[step - 1]\n"
    done = grade_now(task, Submission({"schedule.py": source.encode()}))
    assert done.passed is False
    assert {each.item.split(".")[1] for each in done.verdicts if each.status == "unmet"} == {"fresh-length"}
