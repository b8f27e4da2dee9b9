"""Parts of benchmarks/proxies.py: correlations, answers of GSM8K, likelihoods in large batches."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from benchmarks.correlations import correlate

from tests.benchmarks.mlrb import tiny
from tests.benchmarks.mlrb.environment import run_trusted

LEFT = [1.0, 2.0, 2.0, 3.5, 5.0, 4.0, 7.0, 7.0]
RIGHT = [0.2, 0.1, 0.4, 0.4, 0.9, 0.5, 0.5, 3.0]
BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
PROGRAM = """
sys.path.insert(0, sys.argv[2])
from batched_model import load
from gsm8k_answers import generate, number, solve
from trusted.models import load_model
root = Path(sys.argv[1])
plain, batched = load_model(root / "model"), load(root / "model")
pairs = [("", " Who?"), ("A context:", " yes"), ("A context:", " no or"), ("a" * 700, " b" * 300)]
prompts = ["Question: 2 + 2?", "Question: how many legs do three spiders have together?"]
texts = ["so #### 1,234.", "#### -5 or #### 6", "no number", "####7"]
print(json.dumps({
    "plain": plain.loglikelihoods(pairs),
    "batched": batched.loglikelihoods(pairs),
    "together": generate(batched, prompts),
    "alone": [generate(batched, [prompt])[0] for prompt in prompts],
    "numbers": [number(text) for text in texts],
    "share": str(solve(batched, root)),
}))
"""


def test_correlations_equal_those_of_scipy_also_with_ties() -> None:
    from scipy import stats

    expected = [
        stats.pearsonr(LEFT, RIGHT).statistic,
        stats.spearmanr(LEFT, RIGHT).statistic,
        stats.kendalltau(LEFT, RIGHT).statistic,
    ]
    found = correlate(LEFT, RIGHT)
    assert [value for value, _, _ in found] == pytest.approx(expected)
    assert all(-1 <= low <= value <= high <= 1 for value, low, high in found)


def test_equal_order_has_a_narrower_interval_than_mixed_order() -> None:
    equal, mixed = correlate(LEFT, LEFT), correlate(LEFT, RIGHT)
    assert [row[0] for row in equal] == pytest.approx([1, 1, 1])
    assert all(same[2] - same[1] < other[2] - other[1] for same, other in zip(equal, mixed, strict=True))


def test_a_constant_side_has_no_correlation() -> None:
    assert all(math.isnan(value) for row in correlate(LEFT, [0.25] * len(LEFT)) for value in row)


@pytest.mark.long
def test_batched_likelihoods_and_answers(tmp_path: Path) -> None:
    values = tiny.each_matrix(tiny.tensors(1), lambda each: 4 * each)
    tiny.save(tmp_path / "model", values, max_position_embeddings=512)
    row = {"question": "How many?", "answer": "Two times two.\n#### 4"}
    for split, count in (("train", 5), ("test", 3)):
        (tmp_path / f"{split}.jsonl").write_text((json.dumps(row) + "\n") * count)
    found = run_trusted(PROGRAM, str(tmp_path), str(BENCHMARKS))
    assert np.allclose(found["batched"], found["plain"], rtol=1e-5)
    assert found["together"] == found["alone"], "padding before a prompt must change nothing"
    assert found["numbers"] == ["1234", "-5", None, None]
    assert found["share"] == "0.0000 ± 0.0000 (n = 3)"
