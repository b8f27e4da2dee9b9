"""Patches are applied exactly, or refused with the line that does not fit."""

from __future__ import annotations

import contextlib
import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import TaskError
from assay.tasks.patches import apply_patch, split_lines

BASE = {"run.py": b"one\ntwo\nthree\nfour\nfive\n", "end.txt": b"no line feed"}


def patch(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def test_a_patch_changes_adds_and_keeps_files() -> None:
    text = patch(
        "diff --git a/run.py b/run.py",
        "index 1234567..89abcde 100644",
        "--- a/run.py",
        "+++ b/run.py",
        "@@ -1,2 +1,2 @@ a heading",
        "-one",
        "+ONE",
        " two",
        "@@ -5 +5,2 @@",
        " five",
        "+six",
        "--- /dev/null",
        "+++ b/new/file.py",
        "@@ -0,0 +1,2 @@",
        "+first",
        "+second",
        "\\ No newline at end of file",
        "--- a/end.txt",
        "+++ b/end.txt",
    )
    assert apply_patch(text, BASE, "p") == {
        "run.py": b"ONE\ntwo\nthree\nfour\nfive\nsix\n",
        "new/file.py": b"first\nsecond",
        "end.txt": b"no line feed",
    }


HEADER = ("--- a/run.py", "+++ b/run.py")


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ((), "names no file"),
        (("some words",), "expected a line '--- PATH', found 'some words'"),
        (("--- a/run.py", "+++ b/other.py"), "renames 'run.py' to 'other.py'"),
        (("--- a/run.py", "+++ /dev/null"), "deletes a file"),
        (("--- a/no.py", "+++ b/no.py"), "changes 'no.py', which the solution does not have"),
        (("--- /dev/null", "+++ b/run.py"), "adds 'run.py', which the solution has already"),
        (("--- a/../run.py", "+++ b/../run.py"), "is not a path inside the task"),
        (("--- /etc/passwd", "+++ /etc/passwd"), "is not a path inside the task"),
        ((*HEADER, *HEADER), "names 'run.py' twice"),
        ((*HEADER, f"@@ -{'9' * 5000} +2 @@", "-two", "+2"), "expected a line '--- PATH'"),
        ((*HEADER, "@@ -2 +2 @@", "-TWO", "+2"), "line 2 is 'two', the patch expects 'TWO'"),
        ((*HEADER, "@@ -1 +1 @@", "-two", "+2"), "line 1 is 'one', the patch expects 'two'"),
        ((*HEADER, "@@ -5,2 +5 @@", " five", "-six"), "the file ends at line 5"),
        ((*HEADER, "@@ -9 +9 @@", "-nine", "+9"), "begins at line 9"),
        ((*HEADER, "@@ -3 +3 @@", "-three", "+3", "@@ -2 +2 @@", "-two", "+2"), "begins at line 2"),
        ((*HEADER, "@@ -1,2 +1,2 @@", "-one", "", " two"), "begins with ' ', '-' or '+'"),
        ((*HEADER, "@@ -1,3 +1 @@", "-one"), "found the end"),
        ((*HEADER, "@@ -1 +1 @@", "+1", "+2", "-one"), "other numbers of lines"),
        ((*HEADER, "@@ -1 +1 @@", "-one", "+1", "+2"), "expected a line '--- PATH', found '+2'"),
    ],
)
def test_what_does_not_fit_exactly_is_refused(lines: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(TaskError) as caught:
        apply_patch(patch(*lines), BASE, "tests/broken/x.patch")
    assert complaint in caught.value.message
    assert caught.value.place.startswith("tests/broken/x.patch")


texts = st.lists(st.sampled_from(["a\n", "b\n", "\n", " \n", "-\n", "\\ \n", "c\r\n"]), max_size=12).map(
    "".join
)


@given(texts, texts, st.booleans(), st.integers(0, 3))
def test_any_diff_gives_the_other_file_again(old: str, new: str, cut: bool, context: int) -> None:
    new = new[:-1] if cut else new
    lines = [[line.decode() for line in split_lines(text.encode())] for text in (old, new)]
    made = ""
    for line in difflib.unified_diff(*lines, "a/f", "b/f", n=context):
        made += line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
    made = made or "--- a/f\n+++ b/f\n"
    assert apply_patch(made.encode(), {"f": old.encode()}, "p") == {"f": new.encode()}


@given(st.binary(max_size=200))
def test_any_bytes_are_applied_or_refused(data: bytes) -> None:
    with contextlib.suppress(TaskError):
        assert set(apply_patch(b"--- a/run.py\n+++ b/run.py\n" + data, BASE, "p")) == {"run.py"}
