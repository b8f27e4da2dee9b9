"""An ideation task: proposals for a baseline, run over hidden seeds and compared with their predictions."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from assay.curation import CurationOptions, curate
from assay.curation.ideation.definitions import CannotBeTaken, RepositoryFunctions
from assay.curation.ideation.proposal_code import with_passed_on_calls
from assay.curation.ideation.proving import IdeationSource, draft_ideation
from assay.curation.injected.evaluate_ideation import MeasuredProposal, judge
from assay.curation.repository_files import open_pinned
from assay.errors import UsageError
from assay.grading.grader import grade_now
from assay.tasks import Task
from assay.workspace import Submission

CENTERS = '''"""Estimators of the center of a sample."""

from dataclasses import dataclass


@dataclass
class Center:
    """An estimate."""

    value: float


def average(values):
    """The sum over the number of values."""
    return Center(sum(values) / len(values))


def middle(values):
    """The value in the middle."""
    return Center(sorted(values)[len(values) // 2])
'''
STUDY = """import random

from centers import average, middle

SAMPLES = 40
SIZE = 50
SEED = 5


def error(estimate):
    source = random.Random(SEED)
    total = 0.0
    for _ in range(SAMPLES):
        center = source.uniform(-100, 100)
        values = [center + source.gauss(0, 1) + (30 if source.random() < 0.1 else 0) for _ in range(SIZE)]
        total += abs(estimate(values).value - center)
    return total / SAMPLES


if __name__ == "__main__":
    print(f"average: error = {error(average):.4f}")
    print(f"middle: error = {error(middle):.4f}")
"""
PAPER = """# Centers

## Problem

A sample has a center that nobody knows. Some of its values are far away from it.

## Experiment

Each of 40 samples has 50 values. The middle is a simple answer. We average the error over the samples.

Table 1: Absolute error of the estimates.

| Estimator | Error |
|---|---|
| average | 3.0485 |
| middle | 0.2425 |
"""
TRUTH = {"least": 3, "brier": 0.2, "rank": 0.5, "smallest": 0.001}


def _drafted(folder: Path, centers: str, study: str, paper: str) -> IdeationSource:
    repository = folder / "centers"
    repository.mkdir()
    (repository / "centers.py").write_text(centers)
    (repository / "study.py").write_text(study)
    (repository / "LICENSE").write_text(
        "MIT License\n\nPermission is hereby granted, free of charge, to any\n"
    )
    (folder / "paper.md").write_text(paper)
    options = CurationOptions(
        paper=folder / "paper.md", repository=str(repository), out=folder / "out", last_stage="drafts"
    )
    result = curate(options)
    assert result.drafts is not None
    assert result.runs is not None
    assert result.lock is not None
    with open_pinned(str(repository), None) as pinned:
        files = pinned.files
    return IdeationSource(
        result.drafts, {"paper": result.paper}, result.runs, files, result.lock, options.out, 30.0, print
    )


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> IdeationSource:
    return _drafted(tmp_path_factory.mktemp("ideation"), CENTERS, STUDY, PAPER)


@pytest.fixture(scope="module")
def same_center(tmp_path_factory: pytest.TempPathFactory) -> Task:
    """The task of a study in which every sample has one center, and estimates are plain numbers."""
    centers = re.sub(r"return Center\((.*)\)", r"return \1", CENTERS)
    study = STUDY.replace("source.uniform(-100, 100)", "source.gauss(0.3, 0)").replace(".value", "")
    paper = PAPER.replace("3.0485", "2.9510").replace("0.2425", "0.2398")
    task = draft_ideation(_drafted(tmp_path_factory.mktemp("same"), centers, study, paper), "auto")
    assert task is not None
    return task


@pytest.fixture(scope="module")
def task(source: IdeationSource) -> Task:
    task = draft_ideation(source, "auto")
    assert task is not None
    return task


def test_the_agent_gets_problem_and_baseline_but_not_the_method(task: Task) -> None:
    texts = "\n".join([task.instruction, *(data.decode() for data in task.workspace.values())])
    assert "def average(values):" in task.workspace["baseline.py"].decode()
    assert "A sample has a center that nobody knows." in task.instruction
    assert "middle" not in texts.lower()
    assert "0.2425" not in texts
    assert "study.py" not in task.workspace


def test_the_method_of_the_paper_gains(task: Task) -> None:
    gold = grade_now(task, Submission(task.gold_files))
    assert gold.passed
    assert gold.score is not None
    assert gold.score > 1


def _unmet_items(task: Task, variant: str) -> set[str]:
    grade = grade_now(task, Submission({**task.gold_files, **task.broken[variant]}))
    assert grade.passed is False
    return {verdict.item for verdict in grade.verdicts if verdict.status == "unmet"}


@pytest.mark.parametrize("variant", ["writes-result", "changes-measure", "small-gain"])
def test_a_cheat_that_meets_every_rule_on_predictions_fails_by_its_gain(task: Task, variant: str) -> None:
    unmet = _unmet_items(task, variant)
    assert unmet
    assert not any(item.startswith("rule.") for item in unmet)


def test_the_unchanged_baseline_is_no_different_proposal(task: Task) -> None:
    assert "rule.distinct" in _unmet_items(task, "unchanged")


@pytest.mark.parametrize("variant", ["first-answer", "constant"])
def test_proposals_that_do_not_learn_fail_where_the_right_answer_varies(task: Task, variant: str) -> None:
    assert _unmet_items(task, variant)


@pytest.mark.parametrize("variant", ["first-answer", "constant"])
def test_proposals_that_do_not_learn_pass_where_the_right_answer_never_changes(
    same_center: Task, variant: str
) -> None:
    assert grade_now(same_center, Submission(same_center.gold_files)).passed
    grade = grade_now(same_center, Submission({**same_center.gold_files, **same_center.broken[variant]}))
    assert grade.passed, grade.verdicts


def test_a_pair_of_functions_can_be_named(source: IdeationSource) -> None:
    assert draft_ideation(source, "middle=average") is None
    with pytest.raises(UsageError, match="no file defines a function 'nothing'"):
        draft_ideation(source, "nothing=middle")
    with pytest.raises(UsageError, match="expected `auto` or BASELINE=METHOD"):
        draft_ideation(source, "average")
    with pytest.raises(UsageError, match="expected `auto` or BASELINE=METHOD"):
        draft_ideation(source, "average=middle of")


def _proposals(*entries: tuple[float, float, float]) -> list[MeasuredProposal]:
    """Probability, predicted gain and measured gain of each proposal."""
    return [
        MeasuredProposal(f"p{number}", probability, predicted, [measured, measured + 0.1], "")
        for number, (probability, predicted, measured) in enumerate(entries, 1)
    ]


def _unmet(proposals: list[MeasuredProposal]) -> set[str]:
    return {name for name, rule in judge(TRUTH, proposals)["rules"].items() if not rule["met"]}


def test_honest_predictions_meet_all_rules_and_the_best_gain_is_the_score() -> None:
    proposals = _proposals((0.9, 2.0, 2.2), (0.8, 1.0, 0.7), (0.1, -1.0, -3.0))
    assert _unmet(proposals) == set()
    assert judge(TRUTH, proposals)["score"] == pytest.approx(2.25)


def test_hedged_padded_and_copied_predictions_are_rejected() -> None:
    hedged = _proposals((0.5, 2.0, 2.2), (0.5, 1.0, 0.7), (0.5, -1.0, -3.0))
    assert _unmet(hedged) == {"calibration"}
    padded = _proposals((0.5, 1.0, 2.2), (0.0, -9.0, -9.0), (0.0, -8.0, -8.0), (0.0, -7.0, -7.0))
    assert _unmet(padded) == {"calibration"}
    copied = _proposals((0.9, 2.0, 2.2), (0.9, 1.9, 2.2), (0.9, 1.8, 2.2))
    assert _unmet(copied) == {"distinct"}
    unchanged = [MeasuredProposal(f"p{number}", 0.9, 1.0, [0.0, 0.0], "") for number in range(3)]
    assert _unmet(unchanged) == {"distinct"}
    turned = _proposals((0.9, 0.5, 2.2), (0.9, 1.0, 0.7), (0.9, 2.0, 0.2))
    assert _unmet(turned) == {"ranking"}


def test_a_proposal_that_fails_counts_as_not_better() -> None:
    failed = MeasuredProposal("p4", 0.9, 3.0, None, "ValueError")
    proposals = [*_proposals((0.9, 2.0, 2.2), (0.8, 1.0, 0.7), (0.1, -1.0, -3.0)), failed]
    assert "calibration" in _unmet(proposals)
    assert "failed: ValueError" in json.dumps(judge(TRUTH, proposals))


def test_a_function_is_taken_out_with_all_that_it_needs() -> None:
    files = {
        "pack/__init__.py": b"from .solver import solve\n",
        "pack/common.py": b"from math import inf\n\nLIMIT = inf\n\n\nclass Plan:\n    pass\n",
        "pack/solver.py": b"from .common import LIMIT as TOP, Plan\n\n\ndef helper(x):\n    return x\n\n\n"
        b"def unused():\n    return 1\n\n\ndef solve(x) -> Plan:\n    return helper(min(x, TOP))\n",
        "main.py": b"import pack\n\n\ndef run(x):\n    return pack.solve(x)\n",
    }
    repository = RepositoryFunctions(files)
    text = repository.standing_alone([("pack/solver.py", "solve")])
    names: dict[str, object] = {}
    exec(text, names)
    assert names["solve"](3) == 3  # type: ignore[operator]
    assert "unused" not in text
    assert "class Plan" in text
    with pytest.raises(CannotBeTaken, match="uses the whole module pack"):
        repository.standing_alone([("main.py", "run")])


def test_a_function_that_is_defined_under_a_condition_is_refused() -> None:
    code = b"if True:\n    def solve(x):\n        return x\n"
    assert RepositoryFunctions({"a.py": code}).function("a.py", "solve") is not None
    with pytest.raises(CannotBeTaken, match="expected it at the left margin"):
        with_passed_on_calls(code, "solve")


def test_values_of_calls_survive_the_way_and_functions_do_not(tmp_path: Path) -> None:
    from assay.curation.injected.call_values import decode, encode

    value = {"a": (1, 2.5, None), 3: [b"x", {"deep": {1, 2}}]}
    assert decode(json.loads(json.dumps(encode(value))), {}) == value
    with pytest.raises(TypeError, match="cannot be passed on"):
        encode(print)
    with pytest.raises(ValueError, match="unknown kind"):
        decode({"@": "object", "class": "Path", "fields": {}}, {})
