"""One pass: what is asked, what is read out of an answer, and what comes of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.agents.agentless import show_files
from assay.agents.file_blocks import LONGEST_ANSWER, read_answer
from assay.models.scripted import ScriptedServer
from assay.tasks.kinds import MASKED
from tests.agents.attempts import CHEAPEST, attempts_at_new_task, demo_task, gold_of_new_task
from tests.example_counts import examples

MODEL = "openai-api/scripted/any"
NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}(/[a-z][a-z0-9_]{0,8}){0,2}\.(py|json|sh)", fullmatch=True)
CONTENTS = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=200).filter(
    lambda text: "```" not in text and "~~~" not in text
)


def block(path: str, content: str, fence: str = "```") -> str:
    """One file as the agent is asked to write it."""
    return f"FILE: {path}\n{fence}python\n{content}\n{fence}"


@settings(max_examples=examples(100))
@given(
    st.dictionaries(NAMES, CONTENTS, max_size=4),
    st.text(max_size=30).filter(lambda t: not set(t) & set("`~")),
)
def test_what_was_written_is_read(files: dict[str, str], between: str) -> None:
    talk = between.replace("FILE:", "")
    answer = f"\n{talk}\n".join(block(path, content) for path, content in files.items())
    assert read_answer(answer, {}).files == {path: content + "\n" for path, content in files.items()}


@given(st.text(max_size=300))
def test_any_text_is_read_without_a_crash_and_stays_inside(text: str) -> None:
    for path in read_answer(text, {}).files:
        assert not path.startswith("/")
        assert ".." not in path.split("/")


def test_paths_that_leave_the_workspace_are_passed_over() -> None:
    answer = "\n".join(block(path, "x") for path in ("../a.py", "/etc/passwd", "./b.py", "/workspace/c.py"))
    read = read_answer(answer, {})
    assert set(read.files) == {"b.py", "c.py"}
    assert [problem.split(" is ")[0] for problem in read.problems] == ["'../a.py'", "'/etc/passwd'"]


def test_a_longer_fence_holds_a_shorter_one() -> None:
    inner = "text\n```\ncode\n```\nmore"
    assert read_answer(block("notes.md", inner, "````"), {}).files == {"notes.md": inner + "\n"}


@pytest.mark.parametrize(
    "answer",
    [
        "FILE: x" + "\n" * 1_000_000 + "y",
        "FILE: x\n````\n" * 9_000,
        "FILE:" * 200_000,
        "\n".join(f"FILE: x\n{'`' * (1_300 - number)}" for number in range(1_200)),
        "```diff a.py\n@@\n-\n+x\n```\n" * 499,
        "```diff a.py\n@@\n" + " \n" * 500_000 + "+x\n```",
        "### " + "a/" * 100_000 + "\n```python\n" + "#" * 200_000 + "\n```",
        "File:" * 40_000 + "a.py*`" * 30_000 + "\n```\n```",
        "\n".join(f"FILE: x\n{'`' * (900 - number)}" for number in range(800)) + "\n" * 600_000,
        "`" * 300_000 + "a" * 300_000 + "`",
        "FILE: x y\n" * 50_000 + "~" * 300_000 + "\n" + "```\nFILE: z\n" * 9_000,
    ],
    ids=[
        *(
            "line-breaks",
            "fences",
            "names",
            "falling-fences",
            "many-diffs",
            "long-diff",
            "long-path",
            "labels",
        ),
        "falling-fences-before-line-breaks",
        "long-fence",
        "unused-lines",
    ],
)
def test_no_answer_makes_reading_it_slow(answer: str) -> None:
    """A search that takes quadratic time would not end here."""
    assert len(answer) <= LONGEST_ANSWER
    assert len(read_answer(answer, {"a.py": b"\n" * 100_000}).files) <= 1


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("```\n" * 375_000, "the answer has 1,500,000 characters, at most 1,048,576 are read: write less"),
        ("```\n" * 250_000, "the answer has 250,000 lines with fences, at most 10,000 are read: write less"),
        (block("a.py", "x" * 2_000_000), "the answer has 2,000,"),
    ],
    ids=["long", "many fences", "long file"],
)
def test_an_answer_that_is_too_long_is_refused_in_one_line(answer: str, problem: str) -> None:
    read = read_answer(answer, {})
    assert read.files == {}
    [line] = read.problems
    assert line.startswith(problem)


def test_empty_lines_may_stand_before_a_block() -> None:
    assert read_answer("FILE: `a.py`  \n\n \n```python\nx = 1\n```", {}).files == {"a.py": "x = 1\n"}


GIVEN = {"src/core.py": b"import os\n\n\ndef f():\n    return 1\n", "Makefile": b"all:\n"}
CODE = "def f():\n    return 2"
FORMS = [
    "FILE: {path}\n```python\n{code}\n```",
    "**FILE: {path}**\n```\n{code}\n```",
    '1. FILE: "{path}"\n```python\n{code}\n```',
    "FILE: '{path}':\n```python\n{code}\n```",
    "**FILE:** `{path}`:  \n```python\n{code}\n```",
    "FILE: \u200b{path}\n```python\n{code}\n```",
    "FILE: <{path}>\n```python\n{code}\n```",
    "FILE:\xa0{path}\n```python\n{code}\n```",
    "FILE: {path}\n~~~python\n{code}\n~~~",
    "File: {path}\n\n```python\n{code}\n```",
    "**File path:** `{path}`\n```python\n{code}\n```",
    "```python {path}\n{code}\n```",
    "```python:{path}\n{code}\n```",
    "```{path}\n{code}\n```",
    '```python title="{path}"\n{code}\n```',
    "```python\n# {path}\n{code}\n```",
    "```python\n# File: {path}\n{code}\n```",
    "```js\n// {path}\n{code}\n```",
    "```html\n<!-- {path} -->\n{code}\n```",
    "### {path}\n```python\n{code}\n```",
    "### 1. `{path}`:\n\n```python\n{code}\n```",
    "**`{path}`**\n```python\n{code}\n```",
    "`{path}`:\n```python\n{code}\n```",
    "### {path}\n```python {path}\n# {path}\n{code}\n```",
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("path", ["src/core.py", "new/file_2.py", "Makefile", "__init__.py"])
def test_every_common_form_of_a_file_is_read(form: str, path: str) -> None:
    read = read_answer(f"Here it is.\n\n{form.format(path=path, code=CODE)}\n\nDone.", GIVEN)
    assert (read.files, read.problems) == ({path: CODE + "\n"}, [])


@settings(max_examples=examples(100))
@given(
    st.dictionaries(NAMES, CONTENTS.filter(lambda text: text == text.strip()), max_size=4),
    st.lists(st.sampled_from(FORMS), min_size=4, max_size=4),
)
def test_forms_may_be_mixed(files: dict[str, str], forms: list[str]) -> None:
    parts = zip(files.items(), forms, strict=False)
    answer = "\n\n".join(form.format(path=path, code=f"x\n{text}") for (path, text), form in parts)
    read = read_answer(answer, dict.fromkeys(files, b"old"))
    assert (read.files, read.problems) == ({path: f"x\n{text}\n" for path, text in files.items()}, [])


@settings(max_examples=examples(100))
@given(CONTENTS, st.integers(1, 3), st.sampled_from(["```", "~~~~"]))
def test_a_fence_in_a_list_is_read_without_its_indentation(content: str, blanks: int, fence: str) -> None:
    lines = [line if line.strip() else "" for line in content.split("\n")]
    inside = [f"{fence}python", *lines, fence]
    answer = "1. FILE: a.py\n\n" + "\n".join(" " * blanks + line if line else "" for line in inside)
    read = read_answer(answer + "\n2. Done.", {})
    assert (read.files, read.problems) == ({"a.py": "\n".join(lines) + "\n"}, [])


def test_a_fence_of_the_other_kind_or_with_more_indentation_is_content() -> None:
    inner = "- text\n  ```\n  code\n  ```\n~~~\n"
    assert read_answer(f"FILE: a.md\n```\n{inner}```", {}).files == {"a.md": inner}


DIFF = """```diff
--- a/src/core.py
+++ b/src/core.py
@@ -{line},2 +4,2 @@
 def f():
-    return 1
+    return 2
```"""
DELETION = DIFF.format(line=4).replace("+++ b/src/core.py", "+++ /dev/null")


@pytest.mark.parametrize("line", [4, 1, 900])
def test_a_diff_is_applied_where_its_lines_are(line: int) -> None:
    read = read_answer(DIFF.format(line=line), GIVEN)
    assert read.files == {"src/core.py": "import os\n\n\ndef f():\n    return 2\n"}


def test_a_diff_may_add_a_file_and_get_its_path_from_the_line_before() -> None:
    answer = "```diff\n--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+x = 1\n```\n\n"
    answer += "### src/core.py\n```diff\n@@\n-    return 1\n+    return 3\n```"
    assert read_answer(answer, GIVEN).files == {
        "a.py": "x = 1\n",
        "src/core.py": "import os\n\n\ndef f():\n    return 3\n",
    }


OLD, NEW = "```python\nx = 1\n```", "```python\nx = 2\n```"
MARKED = '"""Example:\n\n```\nx = 1\n```\n"""\ny = 2'


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("### a.py\n```python\n# b.py\nx = 1\n```", "a block has two paths, `a.py` and `b.py`"),
        (f"### a.py\n{OLD}\n### a.py\n{NEW}", "2 blocks give `a.py` different contents"),
        (f"### core.py\n{OLD}", "`core.py` is not in the workspace: write `FILE: src/core.py`"),
        ("### a.py\n```python\nx = 1", "the block of `a.py` has no closing fence"),
        ("### a.md\n```\ntext\n```python\nx = 1\n```\n", "the block of `a.md` contains another fence"),
        (f"### ../a.py\n{OLD}", "'../a.py' is not a path inside the task"),
        (DIFF.format(line=4).replace("return 1", "return 9"), "a hunk of `src/core.py` does not fit"),
        (
            DELETION,
            "the diff deletes `a/src/core.py`",
        ),
        ("```diff\n-x\n+y\n```", "before its first hunk"),
        ("### src/core.py\n```diff\n@@\n-\n+y\n```", "fits at several places"),
        (f"FILE: a.py\nThis is the whole file.\n{OLD}", "the line `FILE: a.py` names no file"),
        (f"**FILE: a.py (complete)**\n{OLD}", "the line `**FILE: a.py (complete)**` names no file"),
        ("FILE: a.py\n    ```\n    x = 1\n    ```", "the line `FILE: a.py` names no file"),
        (f"{OLD}\nFILE: a.py", "the line `FILE: a.py` names no file"),
        ("FILE: a.py\n  ```\nx = 1\n  ```", "the block of `a.py` has lines with less indentation"),
        (f"FILE: a.py\n```python\n{MARKED}\n```", "the end of the block of `a.py` is not certain"),
        ("FILE: a.md\n```\ntext\n```\ncode\n```\n```", "the end of the block of `a.md` is not certain"),
        ("FILE: a.sh\n```\ntext\n```\nmore\n```", "the end of the block of `a.sh` is not certain"),
        (f"FILE: a.sh\n```\ntext\n```\nmore\n```\nFILE: b.py\n{OLD}", "the block of `a.sh` is not certain"),
    ],
)
def test_what_can_be_read_in_two_ways_is_refused_with_the_reason(answer: str, problem: str) -> None:
    read = read_answer(answer, GIVEN)
    assert read.files == {}
    assert problem in "; ".join(read.problems)


def test_many_hunks_for_a_long_file_are_refused() -> None:
    hunks = "\n".join("@@\n-x = 1\n+x = 2" for _ in range(400))
    read = read_answer(f"### long.py\n```diff\n{hunks}\n```", {"long.py": b"x = 1\n" * 100_000})
    assert read.files == {}
    assert read.problems == ["`long.py` is too long for 400 hunks: write the whole file"]


@pytest.mark.parametrize(
    "answer",
    [
        OLD,
        "Run it like this:\n```bash\npython run.py\n```",
        f"We call `src/core.py` here:\n{OLD}",
        f"### numpy.linalg\n{OLD}",
        "```python\n# helpers of core.py\nx = 1\n```",
        "I cannot do that.",
    ],
)
def test_an_example_is_no_file(answer: str) -> None:
    read = read_answer(answer, GIVEN)
    assert (read.files, read.problems) == ({}, [])


def test_an_example_after_a_file_is_no_part_of_it() -> None:
    answer = f"FILE: a.py\n{OLD}\nRun it:\n```\npython a.py\n```\nFILE: b.py\n{NEW}\nIt prints:\n```\n2\n```"
    read = read_answer(answer, {})
    assert (read.files, read.problems) == ({"a.py": "x = 1\n", "b.py": "x = 2\n"}, [])


def test_a_first_line_that_the_file_already_has_stays() -> None:
    given = {"a.py": b"# a.py\nx = 1\n"}
    assert read_answer("```python\n# a.py\nx = 2\n```", given).files == {"a.py": "# a.py\nx = 2\n"}


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


def test_a_model_is_told_once_why_its_answer_was_not_read(tmp_path: Path) -> None:
    [(path, gold)] = gold_of_new_task(MASKED).items()
    code = gold.decode().rstrip("\n")
    answers = [f"### {path}\n```python\n# other.py\n{code}\n```", block(path, code)]
    with ScriptedServer(answers) as server:
        seen = attempts_at_new_task(tmp_path, MASKED, ["agentless"], models=[MODEL], base_url=server.base_url)
    assert [each.grade.passed for each in seen] == [True]
    assert len(server.requests) == 2
    assert "a block has two paths" in str(server.requests[1])
