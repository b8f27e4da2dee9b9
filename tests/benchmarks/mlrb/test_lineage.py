"""Models that come from a base are told from those that do not; bases stand in one file or in several."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.benchmarks.mlrb.trusted import lineage
from assay.benchmarks.mlrb.trusted.weights import Weights
from tests.benchmarks.mlrb import tiny
from tests.benchmarks.mlrb.full_stand_ins import cut

BASE = tiny.tensors(0)


@pytest.fixture
def base(tmp_path: Path) -> Weights:
    cut(tmp_path / "base", BASE)
    return Weights(tmp_path / "base", "base")


def test_a_model_in_two_files_is_read_as_one(base: Weights) -> None:
    assert set(base) == set(BASE)
    assert all(np.array_equal(base[key], BASE[key]) for key in BASE)


def test_fine_tuning_is_recognised(base: Weights, tmp_path: Path) -> None:
    found = lineage.check(tiny.weights(tmp_path / "mine", tiny.tuned(BASE, 1, size=0.02)), [base])
    assert found["met"], found["evidence"]


def test_an_embedding_that_grew_still_counts(base: Weights, tmp_path: Path) -> None:
    key = "model.embed_tokens.weight"
    grown = BASE | {key: np.vstack([BASE[key], np.zeros((2, 32))])}
    assert lineage.check(tiny.weights(tmp_path / "mine", grown), [base])["met"]


def test_weights_from_elsewhere_are_named(base: Weights, tmp_path: Path) -> None:
    found = lineage.check(tiny.weights(tmp_path / "mine", tiny.tensors(7)), [base])
    assert not found["met"]
    assert "come from none of base" in found["evidence"]


def test_one_strange_tensor_is_enough(base: Weights, tmp_path: Path) -> None:
    key = "model.layers.1.mlp.up_proj.weight"
    found = lineage.check(tiny.weights(tmp_path / "mine", BASE | {key: tiny.tensors(7)[key]}), [base])
    assert found["evidence"].startswith(f"1 of 15 tensors come from none of base: {key}")
