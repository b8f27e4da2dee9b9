"""Each challenge of the full tier through grading as it is: its plain solution over stand-ins."""

from __future__ import annotations

import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

from assay.benchmarks import load_suite
from assay.benchmarks.mlrb.fetching import SPLITTING
from assay.grading import grade_now
from assay.tasks import Input, Task
from assay.tasks.inputs import keep_input
from assay.workspace import Submission, build_environment
from tests.benchmarks.mlrb import full_stand_ins
from tests.benchmarks.mlrb.environment import REQUIREMENTS
from tests.benchmarks.mlrb.test_full import BUDGETS, MODELS

IMAGES = [*REQUIREMENTS, *SPLITTING, "pillow==13.0.0"]
WRITE = """
import io, sys
import pyarrow, pyarrow.parquet
from PIL import Image
label, path = sys.argv[1:]
images = []
for at in range(12):
    file = io.BytesIO()
    Image.new("RGB", (40, 40), (80 * (at % 3), 0, 0)).save(file, "PNG")
    images.append({"bytes": file.getvalue(), "path": f"{at}.png"})
names = [str(at) for at in range(12)]
table = pyarrow.table({"image": images, "image_id": names, label: [at % 3 for at in range(12)]})
pyarrow.parquet.write_table(table, path)
"""


@cache
def stand_in(name: str, held: bool) -> Input:
    with tempfile.TemporaryDirectory() as place:
        if name in full_stand_ins.MAKERS:
            full_stand_ins.make(name, Path(place))
        else:
            label = "class" if name.startswith("imagenet") else "digit_sum"
            python = build_environment(IMAGES) / "bin" / "python"
            subprocess.run([python, "-c", WRITE, label, f"{place}/train-0.parquet"], check=True)
        return Input(name=name, sha256=keep_input(Path(place)), origin="tests", licence="ours", held=held)


def challenge(name: str) -> Task:
    task = next(each for each in load_suite("mlrb").tasks if each.id == name)
    inputs = [stand_in(each.name, each.held) for each in task.assay.inputs]
    update = {"inputs": inputs, "requirements": IMAGES if name in BUDGETS else REQUIREMENTS}
    metadata = task.config.metadata.model_copy(update={"assay": task.assay.model_copy(update=update)})
    return task.model_copy(update={"config": task.config.model_copy(update={"metadata": metadata})})


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in (*MODELS, *BUDGETS) if name != "math_reasoning"])
def test_the_plain_solution_is_valid_and_its_worth_is_unknown(name: str) -> None:
    task = challenge(name)
    done = grade_now(task, Submission(task.gold_files))
    found = {each.item: each for each in done.verdicts}
    assert [each for each in done.verdicts if each.status == "unmet" and each.item != "score.reference"] == []
    if name.startswith("edge"):
        assert "of the libraries" in found["rule.memory"].evidence
    assert done.score is not None
    assert done.normalised is None
    assert found["score.reference"].status == ("unknown" if name != "mini_pile" else "unmet")


@pytest.mark.long
def test_without_lean_3_a_grade_is_unknown_and_not_the_agents_failure() -> None:
    task = challenge("math_reasoning")
    done = grade_now(task, Submission(task.gold_files))
    assert (done.passed, done.score) == (None, None)
    unknown = next(each for each in done.verdicts if each.status == "unknown")
    assert (unknown.owner, "NoLean" in unknown.evidence) == ("grader", True)
