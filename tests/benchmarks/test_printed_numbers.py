"""Numbers that experiments print, as AutoExperiment's runner reads them without a pattern of the paper."""

from __future__ import annotations

import json
import math
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmarks.autoexperiment import paper, papers
from assay.benchmarks.autoexperiment.making import RUNNER
from assay.benchmarks.autoexperiment.papers import DATA
from tests.benchmarks.published_rows import write_own

READ: Any = runpy.run_path(str(DATA / RUNNER))["read"]

FORMS = [
    ("accuracy", "Test accuracy: 91.3%", 91.3),
    ("accuracy", "Accuracy: 91.3", 91.3),
    ("acc", "acc = .913", 0.913),
    ("acc", "acc=.913", 0.913),
    ("loss", "loss -0.5", -0.5),
    ("loss", "loss: -.5", -0.5),
    ("loss", "loss: 1e-3", 1e-3),
    ("loss", "loss: +1.5E+2", 150.0),
    ("loss", "loss: -1e-07, next", -1e-7),
    ("loss", "loss: 5.", 5.0),
    ("loss", "loss: nan", math.nan),
    ("loss", "loss: NaN", math.nan),
    ("loss", '{"loss": -Infinity}', -math.inf),
    ("loss", "loss info: see below", None),
    ("loss", "loss 0.3 (nan in 2 batches)", 0.3),
    ("accuracy", "accuracy (top-1): 0.913", 0.913),
    ("accuracy", "accuracy (5 seeds): 0.913", 0.913),
    ("accuracy", "accuracy [%] | 91.3", 91.3),
    ("accuracy", "accuracy (%) 91.3", 91.3),
    ("accuracy", "accuracy (mean) 0.91 (0.02)", 0.91),
    ("accuracy", "accuracy (0.913)", 0.913),
    ("accuracy", "accuracy is 0.913", 0.913),
    ("FID score", "FID Score is 215.7", 215.7),
    ("FID score", "FID score for results/images: 215.767", 215.767),
    ("loss", "{'loss-sparsity': 0.3, 'loss': 0.2}", 0.2),
    ("f1", "F1 score: 0.8", 0.8),
    ("accuracy", "accuracy of 0.9 with loss: 0.3", 0.9),
    ("accuracy", "Accuracy of the network on the 10000 test images: 55 %", 55.0),
    ("accuracy", "accuracy after epoch 3: 0.9", 0.9),
    ("AUC", "AUC -> 0.9", 0.9),
    ("AUC", "AUC => 0.9", 0.9),
    ("AUC", "AUC --> -0.9", -0.9),
    ("AUC", "AUC → 0.9", 0.9),
    ("AUC", "AUC - 0.9", 0.9),
    ("AUC", "AUC – 0.9", 0.9),
    ("AUC", "AUC ~ 0.9", 0.9),
    ("AUC", "AUC ........ 0.9", 0.9),
    ("acc", "acc | 0.9", 0.9),
    ("acc", "| acc      |    0.9 |", 0.9),
    ("acc", "acc\t0.9", 0.9),
    ("acc", "acc,0.9", 0.9),
    ("acc", "acc & 0.9 \\\\", 0.9),
    ("acc", "**acc**: 0.9", 0.9),
    ("acc", "{'acc': 0.9}", 0.9),
    ("acc", "{'acc': [0.9]}", 0.9),
    ("acc", '"acc": [\n    0.9\n  ]', 0.9),
    ("acc", '"acc":\r\n  0.9', 0.9),
    ("acc", "acc=tensor(0.9)", 0.9),
    ("acc", "acc: tensor([0.9, 0.8], device='cuda:0')", 0.9),
    ("acc", "acc: np.float64(-0.9)", -0.9),
    ("acc", "acc: Array(0.9, dtype=float32)", 0.9),
    ("acc", "acc: Decimal('0.9')", 0.9),
    ("acc", "acc: \x1b[32m0.9\x1b[0m", 0.9),
    ("loss", "loss: 0.5 - acc: 0.9 - val_loss: 0.7 - val_acc: 0.8", 0.5),
    ("acc", "loss: 0.5 - acc: 0.9 - val_loss: 0.7 - val_acc: 0.8", 0.9),
    ("val_loss", "loss: 0.5 - val_loss: 0.7", 0.7),
    ("loss", "loss2: 0.5", None),
    ("loss", "losses: 0.5", None),
    ("loss", "loss_val 0.5", None),
    ("recall", "recall@5: 0.9", None),
    ("recall@5", "recall@5: 0.9 recall@10: 0.95", 0.9),
    ("F1 (macro)", "F1 (macro): 0.8", 0.8),
    ("loss", "saved loss-0.5.pt", None),
    ("p", "p < 0.05", None),
    ("loss", "loss: −0.5", None),
    ("loss", "loss ± 0.5", None),
    ("loss", "loss\n3 epochs", None),
    ("loss", "loss: 0.5\nloss: -0.25", -0.25),
    ("accuracy", "accuracy: 1,234", None),
    ("accuracy", "accuracy: 12,345.6", None),
    ("accuracy", "accuracy: 0,81", None),
    ("accuracy", "accuracy: 1 234.5", None),
    ("accuracy", "accuracy: -1_234", None),
    ("accuracy", "accuracy 2023-01-01 0.81", None),
    ("accuracy", "accuracy: 0.79-0.83", None),
    ("accuracy", "accuracy: 81/100", None),
    ("accuracy", "accuracy: 81 / 100", None),
    ("accuracy", "accuracy: 0x1f", None),
    ("size", "size: 224x224", None),
    ("accuracy", "accuracy 5 runs: 0.81 ± 0.02", None),
    ("accuracy", "accuracy 10-fold: 0.81", None),
    ("accuracy", "accuracy: 0.81/1.00", 0.81),
    ("accuracy", "accuracy: 0.9,0.8", 0.9),
    ("accuracy", "accuracy: [0.9, 0.8]", 0.9),
    ("accuracy", "accuracy: 81, loss: 3", 81.0),
    ("accuracy", "accuracy     0.93        30", 0.93),
    ("accuracy", "accuracy: 81\t100", 81.0),
    ("speedup", "speedup: 3x", 3.0),
    ("stop", "stop: 5 epochs, loss: 0.3", 5.0),
    ("stop", "stop after 5 epochs: 17 steps", 17.0),
]  # fmt: skip


def read(output: str, metric: str) -> float | None:
    number = READ(output, metric, paper("9901.00001").printed(metric).model_dump())
    return None if number is None else float(number)


@pytest.mark.parametrize(("metric", "output", "number"), FORMS)
def test_a_number_after_its_name_is_read_with_sign_dot_and_exponent(
    metric: str, output: str, number: float | None
) -> None:
    assert read(output, metric) == pytest.approx(number, nan_ok=True)


NAMES = st.text("abcdefghijklm_", min_size=1, max_size=12).map(lambda name: f"q{name}q")
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
WRITTEN = st.sampled_from(["{!r}", "{:e}", "{:.4f}", "{:+g}", "{:G}"])
BETWEEN = st.sampled_from(
    [": ", " = ", "=", ":", " ", "\t", " | ", ", ", "': ", '": [', " -> ", " is ", "=tensor("]
)


@given(NAMES, NUMBERS, WRITTEN, BETWEEN, st.sampled_from(["", ".", ",", ")", " %", "\n", " ± 0.1"]))
def test_what_is_printed_is_read_back(
    name: str, number: float, written: str, between: str, after: str
) -> None:
    text = written.format(number)
    assert read(f"epoch 3/5, {name}{between}{text}{after}", name) == float(text)


PARTS = [",{}", " {}", "/{}", " / {}", "-{}", "x{}", "_{}", " runs: {}", " seeds = {}", " folds {}"]


@given(NAMES, st.integers(-(10**12), 10**12), st.integers(0, 999), BETWEEN, st.sampled_from(PARTS))
def test_the_first_part_of_something_longer_is_not_read(
    name: str, number: int, rest: int, between: str, part: str
) -> None:
    assert read(f"{name}{between}{number}{part.format(rest)}", name) is None


@given(NAMES, NUMBERS, st.sampled_from(["val_{}", "{}_std", "x{}", "{}2", "{}s"]))
def test_a_longer_name_is_another_metric(name: str, number: float, longer: str) -> None:
    assert read(f"{longer.format(name)}: {number}", name) is None
    assert read(f"{name}: {number}\n{longer.format(name)}: 7.25", name) == number


@given(st.text("acc loss-+.:=|()[]\n\t\x1b>eEinf019_", max_size=300))
def test_every_text_is_read_or_not_and_a_number_stands_in_it(output: str) -> None:
    number = read(output, "loss")
    assert number is None or "loss" in output


def test_a_hostile_text_is_read_in_linear_time() -> None:
    pieces = ("loss ", "loss.", "loss (", "loss [", "loss:\n", "loss of ", "loss - ", "loss ----", "loss is ")
    pieces += ("loss\x1b[", "loss \x1b[3m", "loss: a.", " ", "-", "1", "1,1", "loss 1,1", "loss of:1/1")
    program = (
        "import json,resource,runpy,sys\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (20, 20))\n"
        "runner, rule, pieces = json.loads(sys.argv[1])\n"
        "read = runpy.run_path(runner)['read']\n"
        "for piece in pieces: read('loss' + piece * (200_000 // len(piece)), 'loss', rule)\n"
    )
    rule = paper("9901.00001").printed("loss").model_dump()
    argument = json.dumps([str(DATA / RUNNER), rule, pieces])
    subprocess.run([sys.executable, "-c", program, argument], check=True, capture_output=True)


def test_the_forms_of_the_published_papers_would_be_read_too() -> None:
    printed = {
        ("2205.00048", "IIF"): "{'IIF': [0.0001467], 'IGF': [5.6371e-06]}",
        ("2303.11932", "IoU"): "{'BB-Loc': 0.3, 'BB-IoU': 0.0033985}",
        ("2309.05569", "total loss"): "Epoch 29, Total loss: 0.1234",
        ("2309.05569", "FID score"): "FID Score is 215.767",
    }
    for (paper_id, metric), output in printed.items():
        listed = READ(output, metric, papers().papers[paper_id].printed(metric).model_dump())
        assert listed is not None
        assert read(output, metric) == listed


def test_a_negated_value_fails_and_an_honest_one_is_in_the_results(tmp_path: Path) -> None:
    code = write_own(tmp_path) / "dataset" / "MLRC" / "9901.00001" / "code"
    rule = paper("9901.00001").printed("score").model_dump() | {"list": False}
    experiments = [
        {"name": name, "command": f"python -c \"print('score', {value})\"", "metrics": {"score": rule}}
        for name, value in (("honest", "-0.5"), ("negated", "0.5"))
    ]
    (code / "experiments.json").write_text(json.dumps(experiments))
    subprocess.run([sys.executable, str(DATA / RUNNER)], cwd=code, check=True, capture_output=True)
    assert json.loads((code / "results.json").read_text()) == {
        "honest": {"score": -0.5},
        "negated": {"score": 0.5},
    }
