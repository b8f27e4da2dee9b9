"""Variants that a task's author wrote: each has its own check, and its result is kept."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assay.certification.variants import VariantResult, grade_variants, variants_of
from assay.tasks import Task
from tests.grading.test_challenge import HONEST, challenge

WEAK, STRONG = HONEST, HONEST.replace(b"0.5", b"0.9")
ACCUSED = HONEST.replace(b"true", b"false")
VARIANTS = {
    "broken/accused": ACCUSED,
    "broken/strong": STRONG,
    "honest/a": STRONG,
    "honest/b": STRONG,
    "honest/c": WEAK,
    "honest/d": STRONG,
    "valid/accused": ACCUSED,
    "valid/weak": WEAK,
}
"""A build below the reference, one above it, and one that breaks a rule."""


def with_variants() -> Task:
    """A challenge whose author wrote variants of all kinds, right and wrong."""
    task = challenge(baseline=0.1, reference=0.8)
    files = {f"{name}/build.sh": build for name, build in VARIANTS.items()}
    return task.model_copy(update={"solution": {"files/build.sh": STRONG}, "tests": {**task.tests, **files}})


def results_of(task: Task, folder: Path, told: list[str]) -> dict[str, VariantResult]:
    """The results of all variants, with the names of the broken ones that were graded now."""
    variants = variants_of(task)
    results = asyncio.run(grade_variants(variants, folder, lambda _, name, rejected: told.append(name)))
    return results[task.id]


def test_every_variant_that_no_agent_hands_in_has_a_check_which_is_kept(tmp_path: Path) -> None:
    task, told = with_variants(), list[str]()
    results = results_of(task, tmp_path, told)
    assert {name: result.check.holds for name, result in results.items()} == {
        "broken-accused": True,
        "broken-strong": False,
        "variant-b": True,
        "variant-c": False,
        "valid-accused": False,
        "valid-weak": True,
    }
    assert sorted(told) == ["accused", "strong"]
    assert results_of(task, tmp_path, told) == results
    assert sorted(told) == ["accused", "strong", "strong"], "a check that does not hold is made again"


@pytest.mark.parametrize(
    ("reference", "noise", "beats"), [(0.8, 0.0, True), (0.9, 0.0, False), (0.95, 0.1, False)]
)
def test_the_better_variant_of_a_challenge_must_beat_the_reference(
    tmp_path: Path, reference: float, noise: float, beats: bool
) -> None:
    task = challenge(baseline=0.1, reference=reference, noise=noise)
    tests = {**task.tests, "honest/better/build.sh": STRONG}
    task = task.model_copy(update={"solution": {"files/build.sh": STRONG}, "tests": tests})
    result = results_of(task, tmp_path, [])["better"]
    assert result.check.holds is beats
    assert result.check.evidence == f"score 0.9, the reference is {reference}: all items met"


def test_a_sample_has_two_broken_variants() -> None:
    assert [variant.check for variant in variants_of(with_variants(), sample=True)] == [
        "broken-accused",
        "broken-strong",
    ]
