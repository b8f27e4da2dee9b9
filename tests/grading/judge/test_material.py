"""What a reader sees of files: other bytes look different, unless the format takes no notice of them."""

from __future__ import annotations

import json
from itertools import chain, product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.grading.judge.guard import paginate
from assay.grading.judge.material import Material, own_texts, read_all_text, read_code
from assay.tasks import Task
from assay.workspace import Submission
from tests.grading.judge.words import worded_task

PLAIN = worded_task()
GIVEN = b"mean 4\nmedian 4\n"
PIECES = [b"\r", b"\n", b"\r\n", b"a", b" ", b"\t", b"\\r", b"\\n", b"\x0c", b"\\x0c", b"\xe9", b"\\xe9"]
PIECES += [b"\xef\xbb\xbf", "⟨".encode(), "⟩".encode(), "⟨CR⟩".encode(), "⟨byte E9⟩".encode(), GIVEN]
PIECES += ["⟨no newline at the end⟩".encode(), "⟨empty⟩".encode(), "\u2028".encode(), "\u0441".encode()]
DATA = st.lists(st.sampled_from(PIECES), max_size=8).map(b"".join)
PATHS = st.sampled_from(["runs.txt", "runs", "run.sh", "run.r", "settings.ini"])


def given_file(path: str, data: bytes) -> Task:
    parts = {name: getattr(PLAIN, name) for name in Task.model_fields}
    return Task(**{**parts, "environment": {**PLAIN.environment, f"workspace/{path}": data}})


def seen(material: Material) -> str:
    """All that a reader sees, without the mark that is another one in each call."""
    (page,) = paginate(material.parts, 100_000)
    return page.text.replace(page.mark, "file")


def whole_text(path: str, data: bytes) -> str:
    return seen(read_all_text(own_texts(PLAIN, Submission({path: data}))))


SHORT_FILES = [
    b"".join(pieces)
    for pieces in chain.from_iterable(
        product([b"\r", b"\n", b"a", b"\\r"], repeat=count) for count in range(6)
    )
]


@pytest.mark.parametrize("path", ["runs.txt", "run.sh"])
def test_no_two_short_files_look_the_same(path: str) -> None:
    texts = {whole_text(path, data) for data in SHORT_FILES}
    assert len(texts) == len(set(SHORT_FILES))


@given(PATHS, DATA, DATA)
@example("runs.txt", b"a 4\nb 4\n", b"a 4\nb 4")
@example("runs.txt", b"a=long\n", b"a=long\r\n")
@example("settings.ini", b"; C:\\bench\reps = 1\n", b"; C:\\bench\\reps = 1\n")
@example("runs", b"", b"\n")
@example("runs", b"a\rb\n", b"a\r\nb\n")
@example("runs", b"a\r", b"a\r\n")
def test_files_with_other_bytes_look_different(path: str, one: bytes, other: bytes) -> None:
    assert (whole_text(path, one) == whole_text(path, other)) == (one == other)


@given(DATA, DATA)
@example(GIVEN, GIVEN.removesuffix(b"\n"))
@example(GIVEN, GIVEN.replace(b"\n", b"\r\n"))
def test_changes_to_other_bytes_look_different(one: bytes, other: bytes) -> None:
    for given_data in (GIVEN, GIVEN.replace(b"\n", b"\r\n")):
        task = given_file("runs.txt", given_data)
        changed = [read_all_text(own_texts(task, Submission({"runs.txt": data}))) for data in (one, other)]
        if one != given_data != other:
            assert (seen(changed[0]) == seen(changed[1])) == (one == other)


@given(st.sampled_from(["run.r", "run.sh", "settings.ini"]), DATA, DATA)
def test_code_with_other_bytes_looks_different(path: str, one: bytes, other: bytes) -> None:
    shown = [seen(read_code(own_texts(PLAIN, Submission({path: data})))) for data in (one, other)]
    assert (shown[0] == shown[1]) == (one == other)


@pytest.mark.parametrize("path", ["a.py", "a.json", "a.csv", "a.ipynb"])
def test_a_shell_can_read_a_file_of_any_name_so_its_name_hides_no_line_end(path: str) -> None:
    shown = {whole_text(path, data) for data in (b"[1,\r\n2]\r\n", b"[1,\n2]\n", b"[1,\n2]")}
    assert len(shown) == 3


@pytest.mark.parametrize("path", ["a.py", "a.ipynb"])
def test_programs_of_python_have_no_marks_of_line_ends_where_their_code_is_read(path: str) -> None:
    cell = {"cell_type": "code", "source": "train()"}
    for code in (b"train()\r\n", b"train()"):
        data = json.dumps({"cells": [cell]}).encode() if path == "a.ipynb" else code
        (part,) = read_code(own_texts(PLAIN, Submission({path: data}))).parts
        assert (part.shown.rstrip(), part.note) == ("train()", "")


@pytest.mark.parametrize(
    ("before", "after", "note"),
    [
        (None, b"4\r\n", "⟨lines end with CR LF⟩"),
        (None, b"4\r\n5\n6\r\n", "⟨lines end with CR LF⟩"),
        (b"3\r\n", b"4\r\n", "⟨lines end with CR LF⟩"),
        (b"3\n", b"4\r\n", "⟨lines end with CR LF; in the given file with LF⟩"),
        (b"3\r\n", b"4\n", "⟨lines end with LF; in the given file with CR LF⟩"),
        (b"3\n", b"4\n", ""),
    ],
)
def test_the_line_that_names_a_file_says_how_its_lines_end(
    before: bytes | None, after: bytes, note: str
) -> None:
    path = "d" * 300 + ".txt"
    task = PLAIN if before is None else given_file(path, before)
    header = seen(read_all_text(own_texts(task, Submission({path: after})))).splitlines()[0]
    assert header.endswith(f"d {note} ---" if note else "d ---")


def test_a_line_after_a_carriage_return_proves_nothing() -> None:
    """Many languages go on with the comment."""
    (part,) = read_code(
        own_texts(PLAIN, Submission({"run.r": b"# train\rfit(model, seeds)\nx <- 1\n"}))
    ).parts
    assert "⟨CR⟩\nfit(model, seeds)" in part.shown
    assert "fit" not in part.proof
