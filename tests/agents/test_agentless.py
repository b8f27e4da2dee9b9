"""One pass: what is asked, what is read out of an answer, and what comes of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.agents.agentless import parse_files, show_files
from assay.models.scripted import ScriptedServer
from assay.tasks.kinds import MASKED
from tests.agents.attempts import CHEAPEST, attempts_at_new_task, demo_task, gold_of_new_task
from tests.example_counts import examples

MODEL = "openai-api/scripted/any"
NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}(/[a-z][a-z0-9_]{0,8}){0,2}\.(py|json|sh)", fullmatch=True)
CONTENTS = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=200).filter(
    lambda text: "```" not in text
)


def block(path: str, content: str, fence: str = "```") -> str:
    """One file as the agent is asked to write it."""
    return f"FILE: {path}\n{fence}python\n{content}\n{fence}"


@settings(max_examples=examples(100))
@given(st.dictionaries(NAMES, CONTENTS, max_size=4), st.text(max_size=30).filter(lambda t: "`" not in t))
def test_what_was_written_is_read(files: dict[str, str], between: str) -> None:
    talk = between.replace("FILE:", "")
    answer = f"\n{talk}\n".join(block(path, content) for path, content in files.items())
    assert parse_files(answer) == {path: content + "\n" for path, content in files.items()}


@given(st.text(max_size=300))
def test_any_text_is_read_without_a_crash_and_stays_inside(text: str) -> None:
    for path in parse_files(text):
        assert not path.startswith("/")
        assert ".." not in path.split("/")


def test_paths_that_leave_the_workspace_are_passed_over() -> None:
    answer = "\n".join(block(path, "x") for path in ("../a.py", "/etc/passwd", "./b.py", "/workspace/c.py"))
    assert set(parse_files(answer)) == {"b.py", "c.py"}


def test_a_longer_fence_holds_a_shorter_one() -> None:
    inner = "text\n```\ncode\n```\nmore"
    assert parse_files(block("notes.md", inner, "````")) == {"notes.md": inner + "\n"}


@pytest.mark.parametrize(
    "answer",
    [
        "FILE: x" + "\n" * 1_000_000 + "y",
        "FILE: x\n````\n" * 100_000,
        "FILE:" * 200_000,
        "\n".join(f"FILE: x\n{'`' * (1_500 - number)}" for number in range(1_490)),
        "\n".join(f"FILE: x\n{'`' * (3_000 - number)}" for number in range(2_990)) + "\n" * 3_000_000,
    ],
    ids=["line-breaks", "fences", "names", "falling-fences", "falling-fences-before-line-breaks"],
)
def test_no_answer_makes_reading_it_slow(answer: str) -> None:
    """A search that takes quadratic time would not end here."""
    assert len(parse_files(answer)) <= 1


def test_empty_lines_may_stand_before_a_block() -> None:
    assert parse_files("FILE: `a.py`  \n\n \n```python\nx = 1\n```") == {"a.py": "x = 1\n"}


def test_the_masked_file_and_the_paper_are_shown_whole() -> None:
    task = demo_task(CHEAPEST["masked"])
    shown = show_files(task)
    assert task.workspace["spreading.py"].decode() in shown
    assert task.workspace["paper.md"].decode() in shown


def test_gold_in_the_answer_passes(tmp_path: Path) -> None:
    answer = "Here it is.\n\n" + "\n\n".join(
        block(path, data.decode().rstrip("\n")) for path, data in gold_of_new_task(MASKED).items()
    )
    with ScriptedServer([answer]) as server:
        seen = attempts_at_new_task(tmp_path, MASKED, ["agentless"], models=[MODEL], base_url=server.base_url)
    assert [each.grade.passed for each in seen] == [True]
    assert len(server.requests) == 1


def test_an_answer_without_files_fails(tmp_path: Path) -> None:
    with ScriptedServer(["I cannot do that."]) as server:
        seen = attempts_at_new_task(tmp_path, MASKED, ["agentless"], models=[MODEL], base_url=server.base_url)
    assert [each.grade.passed for each in seen] == [False]
