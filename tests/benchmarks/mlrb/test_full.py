"""The full tier: its specifications, and its own evaluators over tiny stand-ins, all in one sandbox."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import assay.benchmarks.mlrb.trusted as trusted
from assay.benchmarks import load_suite
from assay.benchmarks.mlrb.sources import DATA, sources, sources_of
from assay.cli import app
from assay.sandbox import Confinement, Mount, SandboxLimits, run_confined
from assay.tasks.files import write_tree
from assay.workspace import VARIABLES, build_environment
from tests.benchmarks.mlrb import full_stand_ins
from tests.benchmarks.mlrb.environment import REQUIREMENTS

MODELS = ("llm_efficiency", "baby_lm", "mini_pile", "llm_merging", "edge_llm_compression",
          "edge_llm_training", "math_reasoning")  # fmt: skip
SHORT = ("llm_merging", "math_reasoning")
"""What `make test` builds and evaluates; `make test-long` does so with all of them."""
REST = tuple(name for name in MODELS if name not in SHORT)
BUDGETS = ("budget_model_training", "budget_model_inference")
DRIVER = '''
"""Builds each challenge's solution and runs its evaluator, one after the other, in one process."""
import json, os, runpy, shutil, sys
from pathlib import Path

found = {}

def run(path, cwd):
    os.chdir(cwd)
    sys.path[0] = str(cwd)
    try:
        runpy.run_path(str(path), run_name="__main__")
    except Exception as error:
        return f"{type(error).__name__}: {error}"

def evaluated(name, bench):
    broke = run(f"/truth/{name}.py", bench)
    return {"broke": broke} if broke else json.loads((bench / "report.json").read_text())

# Four seconds a time: test_models measures memory, test_full_graded these challenges'.
sys.path.insert(0, "/truth")
from trusted import memory
memory.check = lambda *_, **__: {"met": True, "evidence": "not measured here"}
sys.path.insert(0, "")
os.environ["HF_HUB_OFFLINE"] = "1"
here = Path("/workspace")
for name in sys.argv[1:]:
    bench = here / name
    shutil.copytree(bench / "submission", bench / "build")
    script = (bench / "submission/build.sh").read_text().split()[-1]
    broke = run(bench / "build" / script, bench / "build")
    (bench / "artefacts").mkdir()
    if broke is None:
        (bench / "artefacts/model").mkdir()
        for file in ("config.json", "model.safetensors", "tokenizer.json"):
            shutil.copy(bench / "build/model" / file, bench / "artefacts/model" / file)
    found[name] = {"build": broke, **evaluated(name, bench)}

# The kinds that only this tier has are read as transformers itself reads them.
import torch
from transformers import AutoModelForCausalLM
from trusted.models import load_model
for name in {"llm_efficiency", "edge_llm_compression"} & set(sys.argv):
    folder = here / name / "artefacts/model"
    theirs = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    with torch.inference_mode():
        logits = theirs(torch.tensor([[256, *b" Who?"]])).logits[0].double().log_softmax(-1)
    wanted = sum(float(logits[at, byte]) for at, byte in enumerate(b" Who?"))
    found[f"{name} by hand"] = [load_model(folder).loglikelihoods([("", " Who?")])[0], wanted]

# Cheats, on what was built.
import numpy
from safetensors.numpy import load_file, save
def cheat(name, label, change):
    if name not in sys.argv:
        return
    bench = here / f"{name}-{label}"
    shutil.copytree(here / name, bench)
    change(bench)
    found[f"{name}: {label}"] = evaluated(name, bench)

def rewrite(bench, change):
    path = bench / "artefacts/model/model.safetensors"
    changed = {key: change(each) for key, each in load_file(path).items()}
    path.write_bytes(save(changed, metadata={"format": "pt"}))

noise = numpy.random.default_rng(0)
def scratch(each):
    return noise.normal(size=each.shape).astype(each.dtype) if each.ndim == 2 else each
def moved(each):
    return (each * (1 + 0.01 * noise.normal(size=each.shape))).astype(each.dtype)
def gridded(each):
    return (numpy.round(each / 0.02) * 0.02).astype(each.dtype) if each.ndim == 2 else each

cheat("llm_efficiency", "from scratch", lambda bench: rewrite(bench, scratch))
cheat("llm_efficiency", "MMLU handed in", lambda bench: (bench / "submission/data.txt").write_text(
    "How many of the old ships, then, came home to the town? Three."))
cheat("llm_merging", "from scratch", lambda bench: rewrite(bench, scratch))
cheat("edge_llm_compression", "trained", lambda bench: rewrite(bench, moved))
cheat("edge_llm_compression", "another kind",
      lambda bench: (bench / "artefacts/model/config.json").write_text('{"model_type": "bert"}'))
cheat("edge_llm_training", "gridded", lambda bench: rewrite(bench, gridded))
cheat("baby_lm", "data handed in", lambda bench: (bench / "submission/words.txt").write_text("x" * 70_000))
os.environ["PATH"] = f"/workspace/bin:{os.environ['PATH']}"
if "math_reasoning" in sys.argv:
    found["with lean"] = evaluated("math_reasoning", here / "math_reasoning")
(here / "found.json").write_text(json.dumps(found))
'''
LEAN = """#!/bin/sh
if [ "$1" = --version ]; then echo 'Lean (version 3.51.1, commit cce7990ea86a, Release)'; exit; fi
grep -n 'print axioms' "$2" | while IFS=: read line rest; do
  echo '{"severity":"information","pos_line":'$line',"text":"no axioms"}'
done
grep -n '^example' "$2" | while IFS=: read line rest; do
  echo '{"severity":"error","pos_line":'$line',"text":"unknown identifier '${rest##* }'"}'
done
exit 1
"""


Answers = dict[str, Any]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """What the evaluators of the challenges in SHORT answer; all tests share one run."""
    return _answers(tmp_path_factory.mktemp("short"), SHORT)


@pytest.fixture(scope="module")
def found_in_rest(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """What the evaluators of all other challenges answer."""
    return _answers(tmp_path_factory.mktemp("rest"), REST)


def _answers(root: Path, names: Sequence[str]) -> Answers:
    bench, truth = root / "bench", root / "truth"
    inputs = {source.name: source for name in names for source in sources_of(name)}
    mounts = [
        Mount(
            full_stand_ins.make(name, root / "inputs" / name),
            f"/{'held' if source.held else 'inputs'}/{name}",
        )
        for name, source in inputs.items()
    ]
    shutil.copytree(Path(trusted.__file__).parent, truth / "trusted")
    for task in load_suite("mlrb").tasks:
        (truth / f"{task.id}.py").write_bytes(task.tests["evaluate.py"])
        if task.id in names:
            (bench / task.id / "submission").mkdir(parents=True)
            write_tree(task.gold_files, bench / task.id / "submission")
    (bench / "drive.py").write_text(DRIVER)
    (bench / "bin").mkdir()
    (bench / "bin" / "lean").write_text(LEAN)
    (bench / "bin" / "lean").chmod(0o755)
    done = asyncio.run(
        run_confined(
            Confinement(
                workspace=bench,
                environment=build_environment(REQUIREMENTS),
                mounts=(*mounts, Mount(truth, "/truth")),
                variables={**VARIABLES, "OMP_WAIT_POLICY": "PASSIVE"},
                limits=SandboxLimits(memory_mb=8192, disk_mb=2048, wall_seconds=600),
            ),
            ["python", "drive.py", *names],
            collect=["found.json"],
        )
    )
    assert done.returncode == 0, done.stderr[-3000:]
    answers: Answers = json.loads(done.files["found.json"])
    return answers


@pytest.mark.long
def test_the_plain_solution_is_built_and_scored(found: Answers) -> None:
    check_plain_solution(found["llm_merging"])


@pytest.mark.long
@pytest.mark.parametrize("name", REST)
def test_every_other_plain_solution_is_built_and_scored(found_in_rest: Answers, name: str) -> None:
    check_plain_solution(found_in_rest[name])


def check_plain_solution(report: Answers) -> None:
    assert report["build"] is None
    assert {rule: each["evidence"] for rule, each in report["rules"].items() if not each["met"]} == {}
    assert 0 <= report["score"] <= 1
    assert report["standard_error"] >= 0


@pytest.mark.long
def test_mistral_and_phi_are_read_as_transformers_reads_them(found_in_rest: Answers) -> None:
    for name in ("llm_efficiency", "edge_llm_compression"):
        ours, theirs = found_in_rest[f"{name} by hand"]
        assert ours == pytest.approx(theirs, abs=1e-4)


@pytest.mark.long
def test_without_lean_3_the_grade_breaks_off(found: Answers) -> None:
    assert found["math_reasoning"]["broke"].startswith("NoLean: no Lean 3")


def test_with_a_lean_3_its_version_is_told_and_likeness_beside_it(found: Answers) -> None:
    report = found["with lean"]
    assert report["score"] == 0
    assert "Lean 3.51.1; BLEU" in report["rules"]["runs"]["evidence"]


def test_a_model_that_was_not_merged_is_caught(found: Answers) -> None:
    check_cheat(found["llm_merging: from scratch"], "from-given-models")


@pytest.mark.long
@pytest.mark.parametrize(
    ("case", "rule"),
    [
        ("llm_efficiency: from scratch", "approved-base"),
        ("llm_efficiency: MMLU handed in", "no-mmlu"),
        ("edge_llm_compression: trained", "no-training"),
        ("edge_llm_compression: another kind", "contract"),
        ("edge_llm_training: gridded", "no-quantisation"),
        ("baby_lm: data handed in", "code"),
    ],
)
def test_cheats_are_caught(found_in_rest: Answers, case: str, rule: str) -> None:
    check_cheat(found_in_rest[case], rule)


def check_cheat(report: Answers, rule: str) -> None:
    assert report["rules"][rule]["met"] is False
    assert report["score"] is None


def test_merging_tells_the_competitions_own_sets_beside_the_score(found: Answers) -> None:
    evidence = found["llm_merging"]["rules"]["runs"]["evidence"]
    assert "CosmosQA" in evidence
    assert "XSum ROUGE-L" in evidence


def test_all_nine_load_and_say_what_they_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path))
    suite = load_suite("mlrb")
    assert {task.id for task in suite.tasks} == {*MODELS, *BUDGETS}
    for task in suite.tasks:
        needs, goal = task.assay.needs, task.assay.challenge
        assert needs is not None
        assert goal is not None
        assert needs.gpu_memory_gb in (6, 40)
        assert task.assay.resources.gpu_memory_mb == 1024 * needs.gpu_memory_gb, "the limit of an attempt"
        assert needs.download_gb == pytest.approx(sum(each.gb for each in sources_of(task.id)))
        assert needs.hours is not None
        assert needs.hours >= 24
        assert goal.checkpoints == 0, "a checkpoint would be a build of many hours"
        assert task.id in suite.needs


def test_nothing_was_fetched_by_us_so_no_hash_is_named() -> None:
    named = {challenge for each in sources() for challenge in each.challenges}
    assert named == {path.parent.name for path in DATA.glob("*/task.toml")}
    assert [each.name for each in sources() if each.sha256 or each.standing != "not verified by us"] == []
    assert all(each.held for each in sources() if each.name in ("mmlu", "blimp", "superglue"))


def test_the_listing_prints_what_a_challenge_takes() -> None:
    told = CliRunner().invoke(app, ["suites", "mlrb"]).output
    assert "takes 40 GB of GPU memory, about 5.8 GB of downloads, up to 52 h" in told
    rows = json.loads(CliRunner().invoke(app, ["suites", "mlrb", "--json"]).output)["tasks"]
    assert {row["id"]: row["resources"]["gpu_memory_gb"] for row in rows}["budget_model_training"] == 6
    shown = CliRunner().invoke(app, ["show", "mlrb/mini_pile"]).output
    assert "\nGPUs: 1\n" in shown
