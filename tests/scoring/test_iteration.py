"""Approaches and ablations come out of the archived submissions, not out of what an agent says."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.scoring import read_attempts
from assay.scoring.scorecards.over_time import timelines
from assay.workspace import SUBMISSIONS, Submission
from tests.scoring.test_likeness import PRUNE, TRAIN
from tests.synthetic_logs import Run, challenge


def archive(folder: Path, code: str, **others: bytes) -> str:
    return Submission({"train.py": code.encode(), **others}).store(folder / SUBMISSIONS)


def run(folder: Path, scores: list[float | None], digests: list[str]) -> None:
    sample = challenge("prune", [(60.0 * at, score) for at, score in enumerate(scores)])
    assert sample.scores is not None
    metadata = sample.scores["assay"].metadata
    assert metadata is not None
    for row, digest in zip(metadata["checkpoints"], digests, strict=True):
        row["submission"] = digest
    Run("supervisor", [sample]).write(folder)


def test_the_tree_of_submissions(tmp_path: Path) -> None:
    tuned = TRAIN.replace("0.5", "0.75")
    without = tuned.replace("use_trim = True", "use_trim = False")
    digests = [
        Submission().digest,
        archive(tmp_path, TRAIN),
        archive(tmp_path, tuned),
        archive(tmp_path, PRUNE),
        archive(tmp_path, without),
        archive(tmp_path, tuned.replace(" + scale * delta", "")),
        archive(tmp_path, tuned, **{"model.safetensors": b"longer trained"}),
    ]
    run(tmp_path, [None, 0.1, 0.2, 0.15, 0.18, None, 0.4], digests)

    (found,) = timelines(read_attempts(tmp_path))
    (only,) = found.each

    assert [(node.parent, node.approach, node.ablation) for node in only.tree] == [
        (None, 1, False),
        (0, 1, False),
        (1, 2, False),
        (1, 1, True),
        (1, 1, True),
    ]
    assert only.approaches == 2
    assert only.ablations == 1, "an ablation without a valid submission has measured nothing"
    assert (found.approaches, found.ablations, found.explored) == (2.0, 1.0, 1)
    assert found.gain == pytest.approx(0.3)


def test_a_missing_or_changed_archive_is_unknown_and_no_code_is_none(tmp_path: Path) -> None:
    kept = archive(tmp_path, TRAIN)
    run(tmp_path, [0.1, 0.2], [kept, "0" * 64])
    (found,) = timelines(read_attempts(tmp_path))
    assert (found.approaches, found.ablations, found.explored) == (None, None, 0)

    (tmp_path / SUBMISSIONS / f"{kept}.tar").write_bytes(b"changed")
    run(tmp_path, [0.1], [kept])
    (found,) = timelines(read_attempts(tmp_path))
    assert found.approaches is None

    run(tmp_path, [None], [Submission().digest])
    (found,) = timelines(read_attempts(tmp_path))
    assert (found.approaches, found.ablations) == (0.0, 0.0)
