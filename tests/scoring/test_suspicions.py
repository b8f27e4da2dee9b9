from __future__ import annotations

import csv
import random
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.scoring import TableRow, read_record, scorecard, suspicions
from tests.synthetic_logs import Run, attempt


def table(agent: str, seed: int, tasks: int = 40) -> list[TableRow]:
    """An honest table: outcomes, steps and seconds of its own."""
    generator = random.Random(seed)
    return [
        TableRow(
            agent,
            f"task-{number}",
            (generator.choice(["TRUE", "FALSE"]), f"{generator.randint(1, 30)}", f"{generator.random():.3f}"),
        )
        for number in range(tasks)
    ]


def what(rows: list[TableRow], **options: list[str]) -> list[str]:
    return [f"{finding.log}: {finding.what}" for finding in suspicions(rows, **options)]


def test_honest_tables_raise_no_suspicion() -> None:
    assert what(table("a", 1) + table("b", 2) + table("c", 3)) == []


def test_rows_copied_between_agents_are_reported_as_a_block_and_as_too_many() -> None:
    copied = [*table("a", 1)[:12], *table("b", 2)[12:]]

    found = what(table("a", 1) + [TableRow("b", row.task, row.values) for row in copied])

    assert len(found) == 2
    assert found[0].startswith("a: 12 of 40 rows are those of b, value for value, where chance gives")
    assert found[1] == "a: 12 rows in a row are a copied block of b: task-0 to task-11"


def test_a_table_of_failures_is_no_copy_of_another() -> None:
    zeros = [TableRow(agent, f"task-{n}", ("FALSE", "0", "0.0")) for agent in "ab" for n in range(60)]

    assert what(zeros) == []


def test_agreeing_on_what_is_hard_is_no_copy() -> None:
    """Two agents that pass exactly the same tasks, with nothing else measured."""
    rows = [
        TableRow(agent, f"task-{n}", ("TRUE" if n % 3 else "FALSE",)) for agent in "ab" for n in range(60)
    ]

    assert what(rows) == []


def test_phantom_repeated_blank_and_missing_rows() -> None:
    rows = [TableRow("a", "x", ("TRUE",)), TableRow("a", "x", ("FALSE",)), TableRow("a", "NULL", ("FALSE",))]
    rows += [TableRow("b", "x", ("",)), TableRow("b", "z", ("TRUE",))]

    assert what(rows) == [
        "a: phantom tasks, which no suite has: NULL",
        "a: tasks counted more than once: x (2 times)",
        "b: rows without an outcome: x",
        "a: no row for 1 tasks that others have: z",
        "b: no row for 1 tasks that others have: NULL",
    ]
    assert "b: phantom tasks, which no suite has: z" in what(rows, task_names=["x"])


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.text(max_size=2)), max_size=12))
def test_any_table_can_be_checked(rows: list[tuple[str, str, str]]) -> None:
    found = suspicions([TableRow(agent, task, (value, value)) for agent, task, value in rows])

    assert all(finding.log in ("a", "b") for finding in found)


def test_published_tables_of_autoexperiment(data: Path) -> None:
    """A phantom id, blank outcomes, and 36 rows of one model that stand in another's table too."""
    rows = []
    for path in sorted((data / "autoexperiment" / "published_results").glob("dynamic_*.csv")):
        agent = path.stem.removeprefix("dynamic_")
        lines = csv.DictReader(path.open())
        rows += [TableRow(agent, line["combined-id"], (line["all_correct"], line["step"])) for line in lines]

    found = what(rows)

    assert found.count("gpt_4o: phantom tasks, which no suite has: NULL") == 1
    blank = "gpt_4o_mini: rows without an outcome: 2303.11932_234, 2205.00048_21, 2205.00048_52"
    assert blank in found
    block = "claude_3_5: 36 rows in a row are a copied block of claude_3_7: 2303.11932_3 to 2110.03485_1"
    assert block in found
    assert sum("rows are those of" in line for line in found) == 1
    assert len(found) == 7


def test_published_table_of_exp_bench(data: Path) -> None:
    lines = csv.DictReader((data / "expbench" / "facts" / "paper_table6_by_category.csv").open())
    rows = [
        TableRow(f"{line['agent']} {line['model']}", line["category"], tuple(line.values())[3:])
        for line in lines
    ]

    assert what(rows) == [
        "IA 3.5 Haiku: no row for 3 tasks that others have: D & B, Physical Models, Trustworthy ML",
        "OH DeepSeek R1: no row for 1 tasks that others have: Trustworthy ML",
    ]


def test_logs_are_checked_when_they_are_read(tmp_path: Path) -> None:
    tasks = ["prune", "spectral-1", "label-noise"]
    Run("react", [attempt(task, "passed") for task in tasks]).write(tmp_path)
    Run("agentless", [attempt(task, "failed") for task in tasks[:2]]).write(tmp_path)

    card = scorecard(read_record(tmp_path))

    assert [(each.log, each.what) for each in card.findings] == [
        ("agentless", "no row for 1 tasks that others have: label-noise")
    ]


def test_a_task_under_two_names_and_a_task_that_changed(tmp_path: Path) -> None:
    twin, changed = attempt("twin", "passed"), attempt("prune", "passed", epoch=2)
    twin.metadata["assay"]["digest"] = attempt("prune", "passed").metadata["assay"]["digest"]
    changed.metadata["assay"]["digest"] = "f" * 64
    Run("react", [attempt("prune", "passed"), changed, twin]).write(tmp_path)

    found = [finding.what for finding in read_record(tmp_path).findings]

    assert "the same task under several names: prune, twin" in found
    assert "tasks whose contents changed between attempts: prune" in found


def test_attempts_copied_from_one_agent_to_another(tmp_path: Path) -> None:
    """Tokens and seconds agree to the last digit in every row."""
    samples = [
        attempt(f"task-{number}", "failed", total_time=10.0 + number / 7, epoch=1) for number in range(9)
    ]
    Run("react", samples).write(tmp_path)
    Run("mine", samples).write(tmp_path)

    (finding,) = read_record(tmp_path).findings[:1]

    assert (finding.log, finding.what[:40]) == ("mine", "9 of 9 rows are those of react, value fo")
