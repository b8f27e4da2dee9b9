from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.grading.verdict import Verdict
from assay.reporting.comparison_table import comparison_notes
from assay.scoring import Comparison, compare, mcnemar, read_record
from tests.synthetic_logs import TASKS, Run, attempt, grade, score, write_demo
from tests.ten_digits import to_ten_digits

DOCUMENT = Path(__file__).parents[2] / "docs" / "json.md"


def two_agents(folder: Path) -> Path:
    """The first passes every third task, the second every second; one attempt of the second is lost."""
    tasks = list(TASKS)
    first = [attempt(task, "failed" if place % 3 else "passed") for place, task in enumerate(tasks)]
    second = [attempt(task, "failed" if place % 2 else "passed") for place, task in enumerate(tasks)]
    second[0] = attempt(tasks[0], "error")
    Run("plain", first, model="openai/x").write(folder)
    Run("clever", second, model="openai/x").write(folder)
    return folder


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    logs = two_agents(tmp_path_factory.mktemp("logs"))
    return compare(logs, agents=["plain", "clever"]).comparisons[0]


def test_only_tasks_that_both_have_scored_are_compared(compared: Comparison) -> None:
    whole = compared.rows[0]

    assert (compared.first.agent, compared.second.agent) == ("plain", "clever")
    assert (whole.kind, whole.tasks, whole.unscored) == ("all", 11, 1)
    assert (compared.second.attempts, compared.second.scored) == (12, 11)
    assert compared.second.missing == {"sandbox": 1}
    assert (whole.first, whole.second) == (3 / 11, 5 / 11)
    assert whole.difference == pytest.approx(2 / 11)


def test_environment_errors_of_both_sides_are_counted(tmp_path: Path) -> None:
    task, other_task = list(TASKS)[:2]
    missing = Verdict(
        item="execution.run", status="unmet", evidence="ModuleNotFoundError: No module named 'yaml'"
    )
    broken = score(grade(task, "masked", "failed", caught=missing))
    first = [attempt(task, "failed", scores={"assay": broken}), attempt(other_task, "failed")]
    Run("react", first).write(tmp_path)
    Run("react[tools=environment]", [attempt(task, "failed"), attempt(other_task, "failed")]).write(tmp_path)

    (comparison,) = compare(tmp_path).comparisons

    assert comparison.first.environment_errors + comparison.second.environment_errors == 1
    notes = " ".join(comparison_notes(comparison))
    assert "attempts with environment errors (package, import, network): first 1 of 2, second 0 of 2" in notes


def test_the_tests_are_those_of_the_differing_tasks(compared: Comparison) -> None:
    whole = compared.rows[0]

    assert (whole.first_better, whole.second_better) == (2, 4)
    assert whole.mcnemar is not None
    assert whole.mcnemar.p == mcnemar(2, 4)
    assert whole.mcnemar.holm >= whole.mcnemar.fdr >= whole.mcnemar.p
    assert whole.share is not None
    assert whole.share.tasks == 11
    assert whole.share.difference == pytest.approx(2 / 11 / 3)


def test_bounds_hold_whatever_the_lost_attempt_would_have_been(compared: Comparison) -> None:
    whole = compared.rows[0]

    assert (whole.bound_low, whole.bound_high) == (pytest.approx(1 / 12), pytest.approx(2 / 12))
    assert whole.low is not None
    assert whole.high is not None
    assert whole.low <= 2 / 11 <= whole.high


def test_kinds_add_up_to_the_whole(compared: Comparison) -> None:
    whole, *kinds = compared.rows

    assert [row.kind for row in kinds] == ["masked", "experiment", "challenge"]
    assert sum(row.tasks for row in kinds) == whole.tasks
    assert sum(row.second_better for row in kinds) == whole.second_better
    assert [row.normalised is not None for row in kinds] == [False, False, True]


def test_swapping_the_agents_turns_the_difference(tmp_path: Path, compared: Comparison) -> None:
    turned = compare(two_agents(tmp_path), agents=["clever", "plain"]).comparisons[0]

    for ours, theirs in zip(compared.rows, turned.rows, strict=True):
        assert ours.mcnemar == theirs.mcnemar
        assert ours.difference == -(theirs.difference or 0)
        assert (ours.first_better, ours.second_better) == (theirs.second_better, theirs.first_better)


def test_two_folders_are_compared_agent_by_agent(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new.mkdir()
    Run("react", [attempt("prune", "failed"), attempt("spectral-1", "failed")]).write(old)
    Run("react", [attempt("prune", "passed"), attempt("spectral-2", "failed")]).write(new)

    (comparison,) = compare(old, new).comparisons

    assert comparison.rows[0].difference == 1.0
    assert (comparison.only_first, comparison.only_second) == (["demo/spectral-1"], ["demo/spectral-2"])
    assert (comparison.rows[0].low, comparison.rows[0].high) == (None, None)


def test_a_task_whose_contents_changed_is_not_compared(tmp_path: Path) -> None:
    other = attempt("prune", "passed")
    other.metadata["assay"]["digest"] = "0" * 64
    Run("react", [attempt("prune", "failed")]).write(tmp_path, "a")
    Run("mine", [other]).write(tmp_path, "b")

    (comparison,) = compare(tmp_path).comparisons

    assert comparison.changed == ["demo/prune"]
    assert (comparison.rows[0].tasks, comparison.rows[0].difference) == (0, None)
    assert comparison.rows[0].mcnemar is None


def test_several_pairs_are_corrected_together(tmp_path: Path) -> None:
    write_demo(tmp_path)

    found = compare(read_record(tmp_path), agents=["react", "agentless", "oracle"])

    assert [(each.first.agent, each.second.agent) for each in found.comparisons] == [
        ("react", "agentless"),
        ("react", "oracle"),
        ("agentless", "oracle"),
    ]
    assert found.tests == 12
    strongest = found.comparisons[2].rows[0].mcnemar
    assert strongest is not None
    assert strongest.p == pytest.approx(2 / 2**12)
    assert strongest.holm == pytest.approx(12 * strongest.p)


def test_without_names_the_measured_agents_are_compared(tmp_path: Path) -> None:
    write_demo(tmp_path)

    (comparison,) = compare(tmp_path).comparisons

    assert {comparison.first.agent, comparison.second.agent} == {"react", "agentless"}


def test_whom_to_compare_must_be_clear(tmp_path: Path) -> None:
    Run("react", [attempt("prune", "failed")], model="openai/x").write(tmp_path, "a")
    Run("react", [attempt("prune", "failed")], model="openai/y").write(tmp_path, "b")

    with pytest.raises(UsageError, match="stands for several"):
        compare(tmp_path, agents=["react", "idle"])
    with pytest.raises(UsageError, match="is not in the logs"):
        compare(tmp_path, agents=["react@openai/x", "idle"])
    with pytest.raises(UsageError, match="1 agents are not two"):
        compare(tmp_path, agents=["react@openai/x"])
    (comparison,) = compare(tmp_path, agents=["react@openai/x", "react@openai/y"]).comparisons
    assert comparison.second.model == "openai/y"


def test_the_shape_is_the_documented_one(tmp_path: Path) -> None:
    for agent, outcome in (("plain", "failed"), ("clever", "passed")):
        Run(agent, [attempt(task, outcome) for task in ("prune", "character-model")]).write(tmp_path)
    example = re.search(r"<!-- compare -->\n```json\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    assert example is not None

    found = compare(tmp_path, agents=["plain", "clever"]).model_dump(mode="json")

    assert json.loads(json.dumps(found), parse_float=to_ten_digits) == json.loads(
        example.group(1), parse_float=to_ten_digits
    )
