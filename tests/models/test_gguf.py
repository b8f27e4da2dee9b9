"""Any GGUF file as a local model: `local/PATH.gguf`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from inspect_ai.model import GenerateConfig, get_model

from assay.errors import AssayError, ModelUnavailable, UsageError
from assay.models.gguf import file_model, read_gguf
from assay.models.probe import probe_model


@pytest.fixture
def own_file(smollm2: Path, tmp_path: Path) -> Path:
    """The real model under another name, in a folder of the user's."""
    return Path(shutil.copy(smollm2, tmp_path / "my model.gguf"))


def test_the_head_of_a_file_says_how_long_the_file_is(smollm2: Path) -> None:
    head = read_gguf(smollm2)
    assert head.bytes == smollm2.stat().st_size
    assert head.context_length == 8192
    assert head.has_chat_template


def test_a_file_of_ones_own_answers(own_file: Path) -> None:
    result = probe_model(f"local/{own_file}", seconds=300)
    assert result.state == "answers", result.reason


@pytest.mark.parametrize(
    ("kept", "message"), [(0.5, "is cut off: it has 49,181,216 bytes"), (0.001, "its head is not whole")]
)
def test_a_file_that_was_cut_off_is_refused(smollm2: Path, tmp_path: Path, kept: float, message: str) -> None:
    cut = tmp_path / "cut.gguf"
    data = smollm2.read_bytes()
    cut.write_bytes(data[: int(len(data) * kept)])
    with pytest.raises(ModelUnavailable, match=message):
        file_model(cut)


def test_what_is_no_gguf_file_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "notes.gguf"
    text.write_text("PK\x03\x04 not a model")
    for path, message in (
        (text, "is not a GGUF file"),
        (tmp_path / "absent.gguf", "does not exist"),
        (tmp_path, "is a folder"),
    ):
        with pytest.raises(UsageError, match=message):
            read_gguf(path)


@pytest.mark.parametrize("damage", [b"GGUF", b"GGUF\x09\0\0\0" + bytes(16), b"GGUF\x03\0\0\0" + b"\xff" * 64])
def test_a_damaged_head_is_refused(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "damaged.gguf"
    path.write_bytes(damage)
    with pytest.raises(AssayError, match="damaged"):
        get_model(f"local/{path}", memoize=False, config=GenerateConfig())
