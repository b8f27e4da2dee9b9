"""benchmarks/proxies.py: scores, correlations, the table, answers of GSM8K, likelihoods in large batches."""

from __future__ import annotations

import json
import math
import subprocess
import sys
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
SCORING = """
import subprocess
sys.path.insert(0, sys.argv[2])
from proxy_models import read_corpus
from trusted import blimp
from trusted.models import load_model
root = Path(sys.argv[1])
def scores(*metrics):
    command = [sys.executable, sys.argv[2] + "/proxies.py", root, root, "--score", root / "model"]
    subprocess.run([*command, "--metrics", *metrics], check=True)
    return json.loads((root / "scores/model.json").read_text())
model = load_model(root / "model")
kinds = blimp.evaluate_equally(model, root / "pairs-held")
paradigms = blimp.evaluate(model, root / "blimp/data")
first = scores("pairs")
print(json.dumps({
    "first": sorted(first),
    "both": scores("pairs", "blimp"),
    "expected": {
        "pairs": [kinds.score, kinds.standard_error],
        "blimp": [paradigms.score, paradigms.standard_error],
    },
    "lines": read_corpus(root / "corpus.jsonl"),
    "files": read_corpus(root / "texts"),
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


@pytest.mark.long
def test_only_the_chosen_metrics_are_scored_as_evaluators_score_them(tmp_path: Path) -> None:
    tiny.save(tmp_path / "model", tiny.each_matrix(tiny.tensors(1), lambda each: 4 * each))
    for folder, count in (("pairs-held", 7), ("blimp/data", 5)):
        (tmp_path / folder).mkdir(parents=True)
        for at, (right, wrong) in enumerate((("is", "are"), ("he", "him"), ("was", "were"))):
            rows = [
                {"sentence_good": f"{number} {right} here.", "sentence_bad": f"{number} {wrong} here."}
                for number in range(count + at)
            ]
            path = tmp_path / folder / f"{right}.jsonl"
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "corpus.jsonl").write_text('{"text": "One row."}\n{"text": "Two."}\n')
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts/a.txt").write_text("A line\nbreaks.\n\n\nAnother paragraph.\n")
    (tmp_path / "scores").mkdir()
    found = run_trusted(SCORING, str(tmp_path), str(BENCHMARKS))
    assert found["first"] == ["pairs", "seconds"]
    for name, expected in found["expected"].items():
        assert found["both"][name] == pytest.approx(expected)
    assert found["lines"] == ["One row.", "Two."]
    assert found["files"] == ["A line breaks.", "Another paragraph."]


def test_the_table_has_what_was_scored(tmp_path: Path) -> None:
    (tmp_path / "scores").mkdir()
    for at in range(6):
        scores = {"pairs": [0.5 + at / 20, 0.01], "blimp": [0.5 + at / 40, 0.02], "seconds": 3}
        (tmp_path / f"scores/scratch-small-{at}.json").write_text(json.dumps(scores))
    (tmp_path / "scores/smollm2.json").write_text(json.dumps({"pairs": [0.9, 0.01]}))
    command = [sys.executable, str(BENCHMARKS / "proxies.py"), str(tmp_path), str(tmp_path), "--table"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert lines[0] == "| model | pairs | blimp |"
    assert "| smollm2 | 0.9000 ± 0.0100 | nan ± nan |" in lines
    rows = [line.split(" | ") for line in lines if line.startswith("| pairs of sentences")]
    assert [row[2] for row in rows] == ["all models (6)", "from scratch (6)"], (
        "one model has no original score"
    )
    assert all(row[3].startswith("1.00 (") for row in rows)
