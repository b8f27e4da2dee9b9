"""Submissions: the same contents have the same name, and a changed archive is refused."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import GradingError
from assay.workspace import Submission

paths = st.from_regex(r"[a-z]{1,8}(/[a-zé ]{1,8}){0,2}", fullmatch=True)


@given(
    st.dictionaries(paths, st.binary(max_size=100), max_size=4),
    st.lists(paths, max_size=3, unique=True),
    st.dictionaries(paths, st.text(st.characters(codec="utf-8"), max_size=20), max_size=2),
    st.dictionaries(paths, st.text(st.characters(codec="utf-8"), max_size=20), max_size=2),
)
@settings(max_examples=50, deadline=None)
def test_what_is_stored_is_what_is_loaded(
    files: dict[str, bytes], deleted: list[str], refused: dict[str, str], redacted: dict[str, str]
) -> None:
    submission = Submission(files, tuple(sorted(deleted)), refused, redacted)
    with tempfile.TemporaryDirectory() as folder:
        digest = submission.store(Path(folder))
        assert Submission.load(Path(folder), digest) == submission
        assert Submission.load(Path(folder), digest).digest == digest


def test_the_name_hangs_on_the_contents_alone() -> None:
    one = Submission({"a": b"1", "b": b"2"})
    assert one.digest == Submission({"b": b"2", "a": b"1"}).digest
    assert one.digest != Submission({"a": b"1", "b": b"3"}).digest
    assert one.digest != Submission({"a": b"1", "b": b"2"}, deleted=("c",)).digest
    assert one.digest == "2a261987ddc4f2a041bfbce3c6654f7a14fc5cf373422ed3439fed675564f960"


def test_a_missing_archive_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(GradingError, match="is not in"):
        Submission.load(tmp_path, "0" * 64)
