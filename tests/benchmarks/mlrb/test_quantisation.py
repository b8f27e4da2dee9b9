"""Grids and code books are found, whatever they are stored as; honest weights show none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.benchmarks.mlrb.trusted import quantisation
from assay.benchmarks.mlrb.trusted.verdicts import Rule
from assay.benchmarks.mlrb.trusted.weights import Array, rounded
from tests.benchmarks.mlrb import tiny


def only(values: tiny.Tensors, *parts: str) -> tiny.Tensors:
    """The tensors whose names contain one of the parts."""
    return {name: tensor for name, tensor in values.items() if any(part in name for part in parts)}


WHOLE = tiny.tensors(1, num_hidden_layers=1)
FEW = ("embed_tokens", "q_proj", "up_proj", "norm")
BASE = only(WHOLE, *FEW)
"""One matrix of each shape, which is half of the model and half of the work."""
models = pytest.mark.parametrize(
    "model", [BASE, pytest.param(WHOLE, marks=pytest.mark.long)], ids=["few matrices", "all matrices"]
)


def on_grid(values: Array, bits: int, group: int, lowest: bool = False, noise: float = 0.0) -> Array:
    """Values laid on a grid of so many bits for each group, as quantisers do."""
    pieces = values.reshape(-1, group)
    low = pieces.min(axis=1, keepdims=True) if lowest else 0.0
    span = np.ptp(pieces, axis=1, keepdims=True) if lowest else np.abs(pieces).max(axis=1, keepdims=True)
    step = span / ((2**bits if lowest else 2 ** (bits - 1)) - 1)
    moved = np.random.default_rng(0).normal(size=pieces.shape) * noise * step
    return (np.round((pieces - low) / step) * step + low + moved).reshape(values.shape)


def code_book(values: Array) -> Array:
    codes = np.quantile(values, np.linspace(0.01, 0.99, 16))
    return codes[np.abs(values[..., None] - codes).argmin(axis=-1)]


def judged(folder: Path, values: tiny.Tensors, base: tiny.Tensors = BASE, dtype: str = "F32") -> Rule:
    bases = [tiny.weights(folder / "base", base)]
    return quantisation.check(tiny.weights(folder / "submitted", values, dtype), bases)


GRIDS: dict[str, Callable[[Array], Array]] = {
    "int8": lambda values: on_grid(values, 8, values.shape[1]),
    "int4 with a lowest value": lambda values: on_grid(values, 4, values.shape[1], lowest=True),
    "int8 of all": lambda values: on_grid(values, 8, values.size),
    "int4 by stretch": lambda values: on_grid(values, 4, 32),
    "int4 by column": lambda values: on_grid(values.T.copy(), 4, values.shape[0]).T,
    "int4 and noise": lambda values: on_grid(values, 4, values.shape[1], noise=0.15),
    "int8 and noise": lambda values: on_grid(values, 8, values.shape[1], noise=0.15),
    "signs": lambda values: np.sign(values) * np.abs(values).mean(),
    "code book": code_book,
    "float8": lambda values: rounded(values, 4),
}
QUICK_GRIDS = ("int4 with a lowest value", "int8 and noise", "code book")
"""The others are like these, with other sizes, or easier to find."""


@models
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK_GRIDS else pytest.mark.long) for name in GRIDS]
)
def test_grids_are_caught(tmp_path: Path, name: str, model: tiny.Tensors) -> None:
    cheat = GRIDS[name]
    rule = judged(tmp_path, tiny.each_matrix(model, cheat), model)
    assert not rule["met"], rule["evidence"]
    assert "lie on a grid" in rule["evidence"]


def test_storing_a_grid_as_half_precision_does_not_hide_it(tmp_path: Path) -> None:
    values = tiny.each_matrix(BASE, lambda each: on_grid(each, 8, each.shape[1]))
    assert not judged(tmp_path, values, dtype="F16")["met"]


@pytest.mark.long
def test_what_stands_in_the_base_is_no_grid_of_ones_own(tmp_path: Path) -> None:
    """Not every layer of the base is looked at first: one that is not must pass as well."""
    layers = 2 * quantisation.LAYERS + 2
    plain = only(tiny.tensors(1, num_hidden_layers=layers), "up_proj")
    name = "model.layers.1.mlp.up_proj.weight"
    base = plain | {name: np.float64(np.float32(on_grid(plain[name], 4, 32)))}
    assert len(base) == layers
    submitted = {name: base[name]}
    assert judged(tmp_path, submitted, base)["met"]
    assert not judged(tmp_path, submitted, {name: plain[name]})["met"]


def dequantised(bits: int) -> tiny.Tensors:
    """Two wide matrices that were quantised in stretches of 32 values and stored as F16."""
    whole = tiny.tensors(1, num_hidden_layers=1, hidden_size=256, intermediate_size=256)
    wide = only(whole, "q_proj", "k_proj")
    return tiny.each_matrix(wide, lambda each: rounded(on_grid(each, bits, 32), 11))


@pytest.mark.parametrize("size", [0.00003, pytest.param(0.0004, marks=pytest.mark.long)])
def test_training_from_a_dequantised_base_leaves_no_grid_of_its_own(tmp_path: Path, size: float) -> None:
    rough = dequantised(4)
    base = tiny.weights(tmp_path / "base", rough, "F16")
    tuned = tiny.weights(tmp_path / "tuned", tiny.tuned(rough, 5, size), "F16")
    assert quantisation.check_tuned(tuned, base)["met"]
    gridded = tiny.each_matrix(tiny.tuned(rough, 5, size), lambda each: on_grid(each, 8, each.shape[1]))
    assert not quantisation.check_tuned(tiny.weights(tmp_path / "cheat", gridded, "F16"), base)["met"]


@pytest.mark.parametrize("bits", [4, 7, *(pytest.param(bits, marks=pytest.mark.long) for bits in (5, 6))])
def test_storing_a_dequantised_base_with_less_precision_is_no_grid(tmp_path: Path, bits: int) -> None:
    """Rounding makes values equal that were close. It is not movement that blurs the grid."""
    rough = dequantised(bits)
    coarse = tiny.each_matrix(rough, lambda each: rounded(each, 8))
    base, stored = (
        tiny.weights(tmp_path / name, each, "F16") for name, each in (("a", rough), ("b", coarse))
    )
    rule = quantisation.check_tuned(stored, base)
    assert rule["met"], rule["evidence"]


PARTLY_TUNED: dict[str, Callable[[Array, np.random.Generator], Array]] = {
    "rows scaled": lambda each, choice: each * choice.uniform(0.8, 1.2, (len(each), 1)),
    "columns scaled": lambda each, choice: each * choice.uniform(0.8, 1.2, each.shape[1]),
    "few values": lambda each, choice: (
        each + 0.001 * choice.normal(size=each.shape) * (choice.random(each.shape) < 0.02)
    ),
    "few rows": lambda each, choice: (
        each + 0.001 * choice.normal(size=each.shape) * (choice.random((len(each), 1)) < 0.1)
    ),
}
QUICK = [("columns scaled", 8), ("few rows", 11)]
"""Each precision, with one way that scales and one that changes few values."""


@pytest.mark.parametrize(
    ("name", "bits"),
    [
        pytest.param(name, bits, marks=[] if (name, bits) in QUICK else pytest.mark.long)
        for name in PARTLY_TUNED
        for bits in (11, 8)
    ],
)
def test_training_a_part_leaves_no_grid_of_its_own(tmp_path: Path, name: str, bits: int) -> None:
    rough, choice = dequantised(4), np.random.default_rng(8)
    base = tiny.weights(tmp_path / "base", rough, "F16")
    tuned = tiny.each_matrix(rough, lambda each: rounded(PARTLY_TUNED[name](each, choice), bits))
    rule = quantisation.check_tuned(tiny.weights(tmp_path / "tuned", tuned, "F16"), base)
    assert rule["met"], rule["evidence"]
    gridded = tiny.each_matrix(tuned, lambda each: on_grid(each, 8, each.shape[1]))
    assert not quantisation.check_tuned(tiny.weights(tmp_path / "cheat", gridded, "F16"), base)["met"]


def test_a_table_of_positions_from_a_formula_is_no_grid(tmp_path: Path) -> None:
    angles = np.outer(np.arange(128), 10_000.0 ** (-np.arange(0, 64, 2) / 64))
    table = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
    written = tiny.weights(tmp_path / "gpt2", {"transformer.wpe.weight": table})
    assert quantisation.check(written, [])["met"]
    assert not quantisation.check(tiny.weights(tmp_path / "other", {"transformer.wte.weight": table}), [])[
        "met"
    ]


def test_one_tensor_on_a_grid_is_named(tmp_path: Path) -> None:
    name = "model.layers.0.mlp.up_proj.weight"
    rule = judged(tmp_path, BASE | {name: on_grid(BASE[name], 4, 32)})
    assert not rule["met"]
    assert name in rule["evidence"]


@models
@pytest.mark.parametrize(
    "honest",
    [
        lambda values: values,
        lambda values: rounded(values, 11),
        lambda values: rounded(values, 8),
        lambda values: values * (np.abs(values) > np.quantile(np.abs(values), 0.5)),
        lambda values: values * (np.arange(len(values)) % 3 > 0)[:, None],
        lambda values: 0.4 * values + 0.6 * tiny.tuned({"a": values}, 5)["a"],
        lambda values: np.random.default_rng(7).uniform(-0.1, 0.1, values.shape),
        lambda values: np.random.default_rng(7).standard_t(3, values.shape),
        lambda values: np.where(np.arange(len(values))[:, None] % 2, values, 0.05 * values - 0.2),
    ],
    ids=["as it is", "F16", "BF16", "small ones zeroed", "rows zeroed", "merged", "uniform", "heavy tails",
         "tokens never seen"],
)  # fmt: skip
def test_honest_weights_pass(tmp_path: Path, honest: object, model: tiny.Tensors) -> None:
    assert callable(honest)
    rule = judged(tmp_path, tiny.each_matrix(model, honest), model)
    assert rule["met"], rule["evidence"]


@pytest.mark.long
def test_a_base_that_was_dequantised_may_be_kept_but_not_quantised_again(tmp_path: Path) -> None:
    large = only(tiny.tensors(1, num_hidden_layers=3), *FEW)
    base = tiny.each_matrix(large, lambda values: on_grid(values, 4, 32, lowest=True))
    kept = {
        name.replace(".2.", ".0."): base[name] for name in base if ".0." not in name and ".1." not in name
    }
    assert len(kept) == len(BASE)
    assert judged(tmp_path / "kept", kept, base, dtype="F16")["met"]
    again = tiny.each_matrix(base, lambda values: on_grid(values, 8, values.size))
    assert not judged(tmp_path / "again", again, base)["met"]
