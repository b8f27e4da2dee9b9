"""Scores a pruned classifier: accuracy on hidden images, within a measured memory, with the base's own weights.

Run in a folder with artefacts/; writes report.json there. A rule that could not be tried is unmet and says so.
Not measured: what the linear algebra library keeps for itself, which is the same for every submission.
"""

import json
import math
import os
import sys
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).parent))
import numpy as np  # noqa: E402
from arrays import Refused, read_arrays  # noqa: E402
from classifier import answers  # noqa: E402

MEMORY = 44_000
FILE_BYTES = 2_000_000
KEPT = {"inputs": 64, "units1": 256, "units2": 128}
NAMES = {*KEPT, *(f"{part}{layer}" for part in ("weights", "biases") for layer in (1, 2, 3))}
UNTRIED = "could not be tried, because an earlier rule is not met"
RULES = ("file", "shapes", "float32", "own-weights", "memory")


class Broke(Exception):
    """A rule is not met, and going on makes no sense."""

    def __init__(self, rule: str, evidence: str):
        super().__init__(evidence)
        self.rule, self.evidence = rule, evidence


def load(rules: dict) -> dict[str, np.ndarray]:
    """The nine arrays, of the right kinds."""
    try:
        arrays = read_arrays(Path("artefacts/pruned.npz"), FILE_BYTES)
    except Refused as error:
        raise Broke("file", str(error)) from None
    if set(arrays) != NAMES:
        raise Broke("file", f"holds {sorted(arrays)!s:.200}, expected {sorted(NAMES)}")
    rules["file"] = verdict(True, "nine plain arrays")
    for name, array in arrays.items():
        wanted = "an integer kind" if name in KEPT else "float32"
        if (array.dtype.kind not in "iu") if name in KEPT else (array.dtype != np.float32):
            raise Broke("float32", f"{name} is of {array.dtype}, expected {wanted}")
    rules["float32"] = verdict(True, "weights and biases are float32")
    return arrays


def kept_units(arrays: dict[str, np.ndarray]) -> list[np.ndarray]:
    """Which inputs and units of the base are left, after their shapes have been checked."""
    kept = []
    for name, whole in KEPT.items():
        chosen = arrays[name]
        if chosen.ndim != 1 or not chosen.size or chosen.min() < 0 or chosen.max() >= whole:
            raise Broke("shapes", f"{name} must be a list of numbers from 0 to {whole - 1}, at least one")
        if len(np.unique(chosen)) != len(chosen):
            raise Broke("shapes", f"{name} names a unit twice")
        kept.append(chosen.astype(np.int64))
    sizes = [len(chosen) for chosen in kept] + [10]
    for layer in (1, 2, 3):
        for name, shape in ((f"weights{layer}", (sizes[layer - 1], sizes[layer])), (f"biases{layer}", (sizes[layer],))):
            if arrays[name].shape != shape:
                raise Broke("shapes", f"{name} has shape {arrays[name].shape}, expected {shape}")
    return kept


def check_weights(arrays: dict[str, np.ndarray], kept: list[np.ndarray], truth: Path) -> str:
    """Every weight is the base's, or zero; biases are free but finite."""
    base = np.load(truth / "base.npz")
    columns = [*kept[1:], np.arange(10)]
    zeros = 0
    for layer in (1, 2, 3):
        own = base[f"weights{layer}"][np.ix_(kept[layer - 1], columns[layer - 1])]
        weights = arrays[f"weights{layer}"]
        strange = ~((weights == own) | (weights == 0))
        if strange.any():
            place = tuple(int(each) for each in np.argwhere(strange)[0])
            raise Broke("own-weights", f"{int(strange.sum())} of {strange.size} numbers of weights{layer} are not the "
                        f"base's; the first at {place} is {weights[place]}, the base has {own[place]}")
        if not np.isfinite(arrays[f"biases{layer}"]).all():
            raise Broke("own-weights", f"biases{layer} are not all finite")
        zeros += int((weights == 0).sum())
    return f"every weight is the base's own ({zeros} set to zero)"


def accuracy(found: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    """The share that is right, and its standard error over images, of which each was drawn by itself."""
    right = (found == labels).astype(float)
    return float(right.mean()), float(right.std(ddof=1) / math.sqrt(len(right)))


def verdict(holds: bool, evidence: str) -> dict:
    return {"met": holds, "evidence": evidence}


def evaluate(truth: Path) -> dict:
    """The report."""
    rules = {rule: verdict(False, UNTRIED) for rule in RULES}
    score, error = None, 0.0
    try:
        arrays = load(rules)
        kept = kept_units(arrays)
        rules["shapes"] = verdict(True, " + ".join(f"{len(each)} {name}" for name, each in zip(KEPT, kept, strict=True)))
        rules["own-weights"] = verdict(True, check_weights(arrays, kept, truth))
        hidden = np.load(truth / "hidden.npz")
        with np.errstate(all="ignore"):
            found, memory = answers(arrays, hidden["images"])
        rules["memory"] = verdict(memory <= MEMORY, f"{memory} bytes at the peak, {MEMORY} allowed")
        score, error = accuracy(found, hidden["labels"])
    except Broke as broke:
        rules[broke.rule] = verdict(False, broke.evidence)
    return {"score": score, "standard_error": error, "rules": rules}


if __name__ == "__main__":
    Path("report.json").write_text(json.dumps(evaluate(Path(__file__).parent), indent=2) + "\n")
