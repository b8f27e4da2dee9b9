"""Weights got from allowed models by known means pass; trained, foreign and blended ones are named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.benchmarks.mlrb.trusted import relations
from assay.benchmarks.mlrb.trusted.provenance import check, check_from_scratch
from assay.benchmarks.mlrb.trusted.verdicts import Rule
from assay.benchmarks.mlrb.trusted.weights import Array, rounded
from tests.benchmarks.mlrb import tiny
from tests.benchmarks.mlrb.tiny import Tensors

BASE = tiny.tensors(1, num_hidden_layers=2)
EXPERTS = [tiny.tuned(BASE, seed) for seed in (2, 3)]
FOREIGN = tiny.tensors(9, num_hidden_layers=2)


def combined(rule: Callable[[Array, list[Array]], Array], experts: list[Tensors]) -> Tensors:
    """Every tensor of the base with the experts' differences, put together by a rule."""
    return {
        name: np.float64(np.float32(base + rule(base, [each[name] - base for each in experts])))
        for name, base in BASE.items()
    }


def ties(base: Array, shifts: list[Array]) -> Array:
    """Trim to the largest, elect signs, average those that agree."""
    trimmed = [shift * (np.abs(shift) >= np.quantile(np.abs(shift), 0.6)) for shift in shifts]
    elected = np.sign(sum(trimmed))
    agreeing = [np.where(np.sign(shift) == elected, shift, 0) for shift in trimmed]
    number = np.maximum(sum((each != 0).astype(int) for each in agreeing), 1)
    return 0.8 * sum(agreeing) / number


def dare(base: Array, shifts: list[Array]) -> Array:
    """Drop half of each expert's differences at random, and enlarge the others."""
    choice = np.random.default_rng(4)
    return sum(0.5 * shift * (choice.random(shift.shape) > 0.5) / 0.5 for shift in shifts)


def breadcrumbs(base: Array, shifts: list[Array]) -> Array:
    """Leave out the smallest tenth and the largest hundredth of each expert's differences."""
    total = np.zeros_like(base)
    for shift in shifts:
        smallest, largest = np.quantile(np.abs(shift), [0.1, 0.99])
        total += 0.4 * shift * ((np.abs(shift) >= smallest) & (np.abs(shift) <= largest))
    return total


def svd(values: Array, rank: int = 12, by: Array | None = None) -> Array:
    scale = np.ones(values.shape[1]) if by is None else by
    left, sizes, right = np.linalg.svd(values * scale, full_matrices=False)
    return (left[:, :rank] * sizes[:rank]) @ right[:rank] / scale


def without_layer(values: Tensors, number: int = 1) -> Tensors:
    kept = {name: each for name, each in values.items() if f".layers.{number}." not in name}
    return {name.replace(f".layers.{number + 1}.", f".layers.{number}."): each for name, each in kept.items()}


def narrowed(values: Tensors) -> Tensors:
    """A third of the inner dimension left out of every layer."""
    keep = np.flatnonzero(np.arange(64) % 3)
    return {
        name: each[:, keep] if "down_proj" in name else each[keep] if "mlp" in name else each
        for name, each in values.items()
    }


HONEST = {
    "as it is": BASE,
    "averaged": combined(lambda _, shifts: sum(shifts) / 2, EXPERTS),
    "task arithmetic": combined(lambda _, shifts: 0.7 * shifts[0] - 0.2 * shifts[1], EXPERTS),
    "TIES": combined(ties, EXPERTS),
    "DARE": combined(dare, EXPERTS),
    "DARE of one": combined(dare, EXPERTS[:1]),
    "SVD": tiny.each_matrix(BASE, svd),
    "weighted SVD": tiny.each_matrix(BASE, lambda each: svd(each, 20, np.linspace(0.5, 2, each.shape[1]))),
    "a layer left out": without_layer(BASE),
    "layers averaged": without_layer(
        {name: (each + BASE[name.replace(".0.", ".1.")]) / 2 for name, each in BASE.items()}
    ),
    "narrowed": narrowed(BASE),
    "small values zeroed": tiny.each_matrix(BASE, lambda each: each * (np.abs(each) > 0.03)),
}


def test_a_merge_stored_as_bf16_is_explained(tmp_path: Path) -> None:
    rule = judged(tmp_path, {name: rounded(each, 8) for name, each in HONEST["TIES"].items()})
    assert rule["met"], rule["evidence"]


METHODS = {"TIES": ties, "DARE": dare, "breadcrumbs": breadcrumbs}
STORED = [
    pytest.param("breadcrumbs", 24, marks=pytest.mark.long),
    pytest.param("TIES", 8, marks=pytest.mark.long),
    pytest.param("TIES", 11, marks=pytest.mark.long),
    pytest.param("DARE", 8, marks=pytest.mark.long),
    pytest.param("DARE", 11, marks=pytest.mark.long),
    pytest.param("breadcrumbs", 11, marks=pytest.mark.long),
]


@pytest.mark.parametrize(("name", "bits"), STORED)
def test_a_merge_of_three_experts_is_explained_as_it_was_rounded(
    tmp_path: Path, name: str, bits: int
) -> None:
    """Differences as large as the values, which a wrong multiple of them would not give."""
    tuned = [tiny.tuned(BASE, seed, 0.025) for seed in (2, 3, 4)]
    sources = [tiny.weights(tmp_path / str(at), each) for at, each in enumerate([BASE, *tuned])]
    merged = {key: rounded(each, bits) for key, each in combined(METHODS[name], tuned).items()}
    rule = check(tiny.weights(tmp_path / "merged", merged), sources)
    assert rule["met"], rule["evidence"]
    trained = {key: rounded(each, bits) for key, each in tiny.tuned(merged, 11, 0.005).items()}
    assert not check(tiny.weights(tmp_path / "trained", trained), sources)["met"]


def judged(folder: Path, values: Tensors, dtype: str = "F32") -> Rule:
    models = {"base": BASE, "one": EXPERTS[0], "other": EXPERTS[1]}
    sources = [tiny.weights(folder / name, each) for name, each in models.items()]
    return check(tiny.weights(folder / "submitted", values, dtype), sources)


ROUNDED = ["as it is", "DARE", "SVD", "layers averaged", "narrowed"]
SLOW = [("weighted SVD", "F32"), *((name, "F16") for name in ROUNDED[1:])]


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        pytest.param(*case, marks=pytest.mark.long if case in SLOW else [])
        for case in [*((name, "F32") for name in HONEST), *((name, "F16") for name in ROUNDED)]
    ],
)
def test_honest_means_are_explained(tmp_path: Path, name: str, dtype: str) -> None:
    rule = judged(tmp_path, HONEST[name], dtype)
    assert rule["met"], rule["evidence"]


def test_one_large_value_hides_nothing_of_what_was_left_out(tmp_path: Path) -> None:
    """SmolLM2 has such: by its rounding all small values would look alike."""
    wild = {name: each.copy() for name, each in BASE.items()}
    for each in wild.values():
        each[(1,) * each.ndim] = 40.0
    base = tiny.weights(tmp_path / "base", wild)
    rule = check(tiny.weights(tmp_path / "cut", narrowed(wild), "F16"), [base])
    assert rule["met"], rule["evidence"]
    trained = tiny.tuned(narrowed(wild), 11, 0.002)
    assert not check(tiny.weights(tmp_path / "trained", trained, "F16"), [base])["met"]


CHEATS = {
    "foreign": FOREIGN,
    "trained": tiny.tuned(BASE, 11, 0.002),
    "trained after leaving out a layer": tiny.tuned(without_layer(BASE), 11, 0.002),
    "trained after narrowing": tiny.tuned(narrowed(BASE), 11, 0.002),
    "trained after TIES": tiny.tuned(HONEST["TIES"], 11, 0.002),
    "trained after SVD": tiny.each_matrix(tiny.tuned(BASE, 11, 0.01), svd),
    "foreign blended in": {name: 0.9 * each + 0.1 * FOREIGN[name] for name, each in BASE.items()},
    "a twentieth of the values trained": tiny.each_matrix(
        BASE, lambda each: each + 0.02 * (np.random.default_rng(3).random(each.shape) < 0.05)
    ),
}


LATER = ("foreign", "trained after narrowing", "trained after TIES", "foreign blended in")
"""Other tests here train after a merge and after narrowing, and blend a foreign tensor in."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long if name in LATER else []) for name in CHEATS]
)
def test_training_and_foreign_weights_are_caught(tmp_path: Path, name: str) -> None:
    """In half precision, where rounding leaves the most room."""
    rule = judged(tmp_path, CHEATS[name], "F16")
    assert not rule["met"], rule["evidence"]
    assert "come from no allowed model" in rule["evidence"]


def among_many(name: str, wanted: Array) -> Array:
    """For each trained value the nearest of what several multiples of the experts' differences give."""
    base = BASE[name]
    shifts = [multiple * (each[name] - base) for each in EXPERTS for multiple in (-2, -1, 1, 2)]
    known = np.stack([base, *(base + shift for shift in shifts)])
    return np.take_along_axis(known, np.abs(known - wanted).argmin(0)[None], 0)[0]


def but_for_known_places(name: str, wanted: Array) -> Array:
    """Trained, but for the places that a draw by the tensor's size alone would look at."""
    if wanted.size <= relations.SAMPLE:
        return BASE[name]
    made = wanted.ravel().copy()
    at = np.random.default_rng(made.size).choice(made.size, relations.SAMPLE, replace=False)
    made[at] = BASE[name].ravel()[at]
    return made.reshape(wanted.shape)


def under_one_large(name: str, wanted: Array) -> Array:
    """Trained, with one value so large that its rounding covers all others."""
    if wanted.size < 2048:
        return BASE[name]
    made = wanted.copy()
    made[0, 0] = 1e6
    return made


def within_rounding(name: str, wanted: Array) -> Array:
    """As far from the base towards the trained value as the rounding to BF16 may be off."""
    base = BASE[name]
    return rounded(base * (1 + np.sign((wanted - base) * base) / 100), 8)


@pytest.mark.long
@pytest.mark.parametrize("cheat", [among_many, but_for_known_places, under_one_large, within_rounding])
def test_what_hides_training_is_caught(tmp_path: Path, cheat: Callable[[str, Array], Array]) -> None:
    trained = tiny.tuned(BASE, 11)
    made = {name: cheat(name, each) if each.ndim == 2 else BASE[name] for name, each in trained.items()}
    rule = judged(tmp_path, made)
    assert not rule["met"], rule["evidence"]


def fading(values: Array) -> Array:
    """A matrix whose singular values fall as those of trained ones do."""
    left, sizes, right = np.linalg.svd(values, full_matrices=False)
    return (left * sizes[0] * np.exp(-4 * np.arange(len(sizes)) / len(sizes))) @ right


@pytest.mark.parametrize(("size", "rank", "met"), [(0.0, 12, True), (0.0005, 32, False), (0.0005, 30, False)])
def test_training_in_half_precision_is_no_projection(
    tmp_path: Path, size: float, rank: int, met: bool
) -> None:
    base = tiny.each_matrix(BASE, fading)
    made = tiny.each_matrix(tiny.tuned(base, 11, size), lambda each: rounded(svd(each, rank), 8))
    source = tiny.weights(tmp_path / "base", base)
    assert check(tiny.weights(tmp_path / "made", made), [source])["met"] is met


def oblique(values: Array, size: float) -> Array:
    """The matrix without a tenth of its rank, and with a trained part of this rank instead."""
    choice = np.random.default_rng(5)
    left, _, _ = np.linalg.svd(values)
    away = left[:, -max(2, len(values) // 10) :]
    kept = away + size * choice.normal(size=away.shape)
    return values - kept @ np.linalg.solve(away.T @ kept, away.T @ values)


@pytest.mark.parametrize(
    ("cheat", "bits"),
    [
        (lambda each: oblique(each, 0.3), 11),
        pytest.param(lambda each: oblique(each, 0.3), 8, marks=pytest.mark.long),
        (lambda each: oblique(each.T, 0.3).T, 11),
        (lambda each: svd(tiny.tuned({"a": each}, 7, 0.05)["a"], 1), 11),
        (lambda each: 1000 + tiny.tuned({"a": each}, 7, 0.05)["a"], 24),
    ],
    ids=[
        "oblique",
        "oblique, BF16",
        "oblique columns",
        "foreign of rank one",
        "foreign under a large offset",
    ],
)
def test_a_trained_part_is_no_projection(tmp_path: Path, cheat: Callable[[Array], Array], bits: int) -> None:
    base = tiny.each_matrix(BASE, fading)
    made = tiny.each_matrix(base, lambda each: rounded(cheat(each), bits))
    rule = check(tiny.weights(tmp_path / "made", made), [tiny.weights(tmp_path / "base", base)])
    assert not rule["met"], rule["evidence"]


def test_a_merge_may_not_project_its_experts(tmp_path: Path) -> None:
    source = tiny.weights(tmp_path / "base", BASE)
    made = tiny.weights(tmp_path / "made", HONEST["SVD"])
    assert check(made, [source])["met"]
    assert not check(made, [source], projects=False)["met"]


@pytest.mark.parametrize(
    "dropped", [0.95, *(pytest.param(share, marks=pytest.mark.long) for share in (0.85, 0.9))]
)
def test_dare_is_explained_when_most_differences_are_dropped(tmp_path: Path, dropped: float) -> None:
    choice = np.random.default_rng(4)
    weights = (0.5, 0.3, 0.4)

    def drop(base: Array, shifts: list[Array]) -> Array:
        return sum(
            weight * shift * (choice.random(shift.shape) > dropped) / (1 - dropped)
            for weight, shift in zip(weights, shifts, strict=True)
        )

    tuned = [tiny.tuned(BASE, seed, 0.005) for seed in (2, 3, 4)]
    sources = [tiny.weights(tmp_path / str(at), each) for at, each in enumerate([BASE, *tuned])]
    rule = check(tiny.weights(tmp_path / "merged", combined(drop, tuned), "F16"), sources)
    assert rule["met"], rule["evidence"]


def test_one_foreign_tensor_is_named_with_what_is_nearest(tmp_path: Path) -> None:
    name = "model.layers.1.self_attn.q_proj.weight"
    rule = judged(tmp_path, BASE | {name: BASE[name] + 0.01 * FOREIGN[name]})
    assert not rule["met"]
    assert (
        f"1 tensors come from no allowed model: {name} (nearest base {name}, cosine 1.0" in rule["evidence"]
    )


def test_a_model_of_ones_own_is_from_scratch(tmp_path: Path) -> None:
    rule = check_from_scratch(
        tiny.weights(tmp_path / "own", FOREIGN), [tiny.weights(tmp_path / "base", BASE)]
    )
    assert rule["met"], rule["evidence"]


def shuffled(values: Tensors) -> Tensors:
    order = np.random.default_rng(0).permutation(32)
    return {
        name: each[:, order] if each.ndim == 2 and each.shape[1] == 32 else each
        for name, each in values.items()
    }


@pytest.mark.parametrize(
    "stolen",
    [BASE, tiny.tuned(BASE, 5, 0.02), tiny.each_matrix(BASE, lambda each: 3 * each), shuffled(BASE),
     FOREIGN | {"model.layers.0.mlp.up_proj.weight": BASE["model.layers.1.mlp.up_proj.weight"]}],
    ids=["copied", "trained further", "scaled", "columns in another order", "one tensor"],
)  # fmt: skip
def test_a_known_model_is_not_from_scratch(tmp_path: Path, stolen: Tensors) -> None:
    rule = check_from_scratch(tiny.weights(tmp_path / "own", stolen), [tiny.weights(tmp_path / "base", BASE)])
    assert not rule["met"]
    assert "of base's" in rule["evidence"] or "base's" in rule["evidence"]
