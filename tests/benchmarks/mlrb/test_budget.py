"""The two budget challenges over a handful of tiny images, served by a program that looks at their bytes."""

from __future__ import annotations

import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

from assay.benchmarks import load_suite
from assay.benchmarks.mlrb.fetching import SPLITTING
from assay.grading import Grade, grade_now
from assay.tasks import Input, Task
from assay.tasks.inputs import keep_input
from assay.workspace import Submission, build_environment

REQUIREMENTS = [*SPLITTING, "numpy==2.4.6"]
LABELS = {"budget_model_training": "class", "budget_model_inference": "digit_sum"}
BOTH = ["budget_model_training", pytest.param("budget_model_inference", marks=pytest.mark.long)]
"""Both challenges; they share what these tests look at."""
WRITE = """
import sys
import pyarrow, pyarrow.parquet
label, path, spoken = sys.argv[1:]
classes = [f"n{at % 3}" if spoken == "words" else at % 3 for at in range(12)]
images = [{"bytes": bytes([at % 3]) * 50_000, "path": f"{at}.png"} for at in range(12)]
table = pyarrow.table({"image": images, "image_id": [str(at) for at in range(12)], label: classes})
pyarrow.parquet.write_table(table, path, row_group_size=5)
"""
BUILD = b"""set -eu
python - <<'END'
import json, struct
header = b'{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
open("model.safetensors", "wb").write(struct.pack("<Q", len(header)) + header + bytes(4))
json.dump(CLASSES, open("classes.json", "w"))
END
"""
SERVE = b"""import json, struct, sys
classes = json.load(open("classes.json"))
while size := sys.stdin.buffer.read(4):
    image = sys.stdin.buffer.read(struct.unpack(">I", size)[0])
    print(ANSWER, flush=True)
"""


@cache
def stand_in(name: str, label: str, held: bool) -> Input:
    python = build_environment(REQUIREMENTS) / "bin" / "python"
    spoken = "words" if label == "class" else "numbers"
    with tempfile.TemporaryDirectory() as place:
        subprocess.run([python, "-c", WRITE, label, f"{place}/part-0.parquet", spoken], check=True)
        return Input(name=name, sha256=keep_input(Path(place)), origin="tests", licence="ours", held=held)


def challenge(name: str) -> Task:
    """The suite's own task in a small environment, over stand-ins."""
    task = next(each for each in load_suite("mlrb").tasks if each.id == name)
    inputs = [stand_in(each.name, LABELS[name], each.held) for each in task.assay.inputs]
    table = task.assay.model_copy(update={"inputs": inputs, "requirements": REQUIREMENTS})
    config = task.config.model_copy(
        update={"metadata": task.config.metadata.model_copy(update={"assay": table})}
    )
    return task.model_copy(update={"config": config})


def graded(name: str, answer: bytes, build: bytes = BUILD) -> tuple[Grade, dict[str, str]]:
    classes = b'["n0", "n1", "n2"]' if name == "budget_model_training" else b"[0, 1, 2]"
    files = {"build.sh": build.replace(b"CLASSES", classes), "serve.py": SERVE.replace(b"ANSWER", answer)}
    done = grade_now(challenge(name), Submission(files))
    return done, {each.item: each.status for each in done.verdicts}


@pytest.mark.parametrize("name", BOTH)
def test_a_server_that_looks_is_right_everywhere(name: str) -> None:
    done, found = graded(name, b"classes[image[0]]")
    assert done.score == 1
    assert found["rule.code"] == found["rule.plain-weights"] == found["rule.runs"] == "met"
    assert found["score.reference"] == "unknown"
    assert done.passed is None


def test_one_that_always_says_the_same_has_a_third_and_that_squared_in_less_than_a_minute() -> None:
    assert graded("budget_model_inference", b"classes[1]")[0].score == pytest.approx(1 / 9)


def test_a_server_that_ends_has_no_score() -> None:
    done, found = graded("budget_model_training", b"sys.exit()")
    assert (done.score, done.passed) == (None, False)
    assert found["rule.runs"] == "unmet"


@pytest.mark.parametrize("name", BOTH)
def test_a_server_that_learns_from_earlier_images_has_no_score(name: str) -> None:
    learns = b"classes[globals().setdefault('seen', []).append(image) or len(seen) % 3]"
    done, found = graded(name, learns)
    assert (done.score, found["rule.runs"]) == (None, "unmet")
    evidence = next(each.evidence for each in done.verdicts if each.item == "rule.runs")
    assert "got another answer from a fresh server" in evidence


def test_a_server_may_remember_what_it_answered() -> None:
    remembers = b"globals().setdefault('seen', {}).setdefault(image, classes[image[0]])"
    assert graded("budget_model_training", remembers)[0].score == 1


def test_the_servers_sandbox_holds_no_inputs_and_no_labels() -> None:
    seen = b"__import__('glob').glob('/held/*') + __import__('glob').glob('/inputs/*')"
    assert graded("budget_model_training", b"'seen' if " + seen + b" else classes[image[0]]")[0].score == 1
