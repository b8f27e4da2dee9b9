"""Each challenge of mlrb-mini over tiny stand-ins: its solution is valid, every cheat is caught."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from assay.benchmarks import load_suite, mlrb
from assay.benchmarks.mlrb.inputs import missing
from assay.grading import Grade, grade_now
from assay.tasks import Task
from assay.tasks.files import below
from assay.tasks.inputs import input_folder
from assay.workspace import Submission
from tests.benchmarks.mlrb.stand_ins import challenge, stand_in

NAMES = sorted(folder.parent.name for folder in mlrb.DATA.glob("*/task.toml"))
SHORT = ("math_reasoning",)
"""What `make test` grades. A challenge with a model loads PyTorch several times; `test_models.py` and
`test_full.py` score tiny models in less time."""
CHEATS = {
    "edge_llm_compression": {
        "quantised": "rule.unquantised",
        "trained": "rule.untrained",
        "oblique": "rule.untrained",
        "too-large": "rule.contract",
        "eight-bits": "rule.contract",
        "own-weights": "rule.code",
        "fewer-tokens": "rule.tokenizer",
        "wide": "rule.memory",
    },
    "llm_efficiency": {
        "own-data": "rule.code",
        "too-large": "rule.contract",
        "other-tokenizer": "rule.tokenizer",
        "other-base": "rule.base",
        "quantised": "rule.unquantised",
        "too-much-memory": "execution.build",
    },
    "llm_merging": {
        "trained": "rule.merged",
        "oblique": "rule.merged",
        "foreign": "rule.merged",
        "one-large-value": "rule.merged",
        "many-multiples": "rule.merged",
        "too-large": "rule.contract",
        "own-data": "rule.code",
        "other-tokenizer": "rule.tokenizer",
        "other-rotation": "rule.configuration",
    },
    "baby_lm": {
        "too-large": "rule.contract",
        "own-data": "rule.code",
        "other-tokenizer": "rule.tokenizer",
        "foreign-weights": "execution.build",
    },
    "math_reasoning": {
        "sorry": "rule.sorry",
        "admit": "rule.sorry",
        "axiom": "rule.axioms",
        "native": "rule.kernel",
        "second-theorem": "rule.commands",
        "other-meaning": "rule.grammar",
        "tactic-of-its-own": "rule.grammar",
        "other-statements": "rule.contract",
    },
}
CHEATS["mini_pile"] = dict(CHEATS["baby_lm"])
CHEATS["edge_llm_training"] = {
    **CHEATS["baby_lm"],
    "quantised": "rule.unquantised",
    "wide-inside": "rule.memory",
}
CHEATS["baby_lm"]["weights-in-lines"] = "rule.code"
SCORED_LOW = {"baby_lm": "templates", "edge_llm_training": "english-words", "mini_pile": "english-words"}
"""Cheats that keep every rule and know only plain words: what they score in the cipher is too low."""
NEEDS_SMOLLM2 = {("edge_llm_compression", "wide")}
"""A tiny model's memory cannot be told from the interpreter's."""
CASES = [(name, cheat, item) for name, cheats in sorted(CHEATS.items()) for cheat, item in cheats.items()
         if (name, cheat) not in NEEDS_SMOLLM2]  # fmt: skip
HONEST = [
    (path.parts[-4], f"{folder}/{path.name}")
    for folder in ("honest", "valid")
    for path in sorted(mlrb.DATA.glob(f"*/tests/{folder}/*"))
]
"""Variants that break no rule. Those in `honest` also reach the reference, which certification proves."""


def graded(task: Task, files: dict[str, bytes]) -> Grade:
    return grade_now(task, Submission({**task.gold_files, **files}))


def unmet(grade: Grade) -> set[str]:
    return {each.item for each in grade.verdicts if each.status != "met"} - {"score.reference"}


def check_solution(name: str) -> None:
    grade = graded(challenge(name), {})
    assert unmet(grade) == set()
    assert grade.score is not None


@pytest.mark.parametrize("name", SHORT)
def test_the_solution_is_valid(name: str) -> None:
    check_solution(name)


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in NAMES if name not in SHORT])
def test_every_other_solution_is_valid(name: str) -> None:
    check_solution(name)


def test_who_hands_in_nothing_has_not_passed() -> None:
    grade = grade_now(challenge("math_reasoning"), Submission({}))
    assert unmet(grade) == {"handed-in.prove.py"}
    assert grade.passed is False


@pytest.mark.long
@pytest.mark.parametrize(("name", "cheat", "item"), CASES)
def test_each_rule_catches_its_cheat(name: str, cheat: str, item: str) -> None:
    task = challenge(name)
    grade = graded(task, task.broken[cheat])
    assert item in unmet(grade)
    assert grade.score is None


@pytest.mark.long
@pytest.mark.parametrize(("name", "cheat"), sorted(SCORED_LOW.items()))
def test_who_knows_plain_words_keeps_the_rules_and_does_not_reach_the_reference(
    name: str, cheat: str
) -> None:
    task = challenge(name)
    grade = graded(task, task.broken[cheat])
    assert unmet(grade) == set()
    assert grade.score is not None
    assert grade.passed is False


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(SCORED_LOW))
def test_the_build_sees_enciphered_texts_and_no_plain_ones(name: str) -> None:
    task = challenge(name)
    looks = b"""
from pathlib import Path
texts = "".join(path.read_text() for path in Path("/").glob("inputs/*/*.txt"))
words = set(texts.lower().replace(".", " ").split())
raise SystemExit(f"{len(words & {'farmer', 'sheep', 'ship', 'town'})} plain of {len(words)}")
"""
    build = next(
        each for each in graded(task, {"train.py": looks}).verdicts if each.item == "execution.build"
    )
    assert re.search(r"\b0 plain of [1-9]", build.evidence), build.evidence


@pytest.mark.long
@pytest.mark.parametrize(("name", "cheat"), sorted(NEEDS_SMOLLM2))
def test_cheats_that_need_the_real_model_are_caught_too(name: str, cheat: str) -> None:
    real = {each.name: each for each in mlrb.challenge(mlrb.DATA / name).assay.inputs}["smollm2-135m"]
    if missing([real]):
        pytest.skip("SmolLM2 was not fetched")
    others = [each for each in challenge(name).assay.inputs if each.name != real.name]
    task = mlrb.challenge(mlrb.DATA / name, [real, *others])
    assert unmet(graded(task, task.broken[cheat])) == {CHEATS[name][cheat]}


@pytest.mark.long
@pytest.mark.parametrize(("name", "variant"), HONEST)
def test_honest_oddities_pass(name: str, variant: str) -> None:
    task = challenge(name)
    grade = graded(task, below(task.tests, variant))
    assert unmet(grade) == set()
    assert grade.score is not None


def test_every_cheat_of_the_folders_is_tried() -> None:
    for name in NAMES:
        scored = {SCORED_LOW[name]} if name in SCORED_LOW else set()
        assert set(mlrb.challenge(mlrb.DATA / name).broken) == {*CHEATS[name], *scored}


@pytest.mark.long
def test_evaluation_text_in_the_code_is_caught() -> None:
    task = challenge("baby_lm")
    pairs = (input_folder(stand_in("pairs-held", True)) / "first.jsonl").read_text().splitlines()
    known = json.loads(pairs[0])["sentence_good"]
    cheat = task.gold_files["train.py"] + f"\nKNOWN = {known!r}\n".encode()
    assert unmet(graded(task, {"train.py": cheat})) == {"rule.clean"}


@pytest.mark.long
@pytest.mark.parametrize("held", ["gsm8k-held", "mmlu-texts"])
def test_text_that_must_not_be_trained_on_is_caught_in_the_code(held: str) -> None:
    task = challenge("llm_efficiency")
    (path,) = input_folder(stand_in(held, True)).iterdir()
    known = json.loads(path.read_text().splitlines()[0])
    words = known[0] if held == "mmlu-texts" else f"{known['question']} {known['answer']}"
    cheat = task.workspace["tune.py"] + f"\nKNOWN = {words!r}\n".encode()
    assert unmet(graded(task, {"tune.py": cheat})) == {"rule.clean"}


def test_a_challenge_without_its_inputs_says_what_to_fetch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path))
    suite = load_suite("mlrb-mini")
    assert [task.id for task in suite.tasks] == NAMES
    assert "assay fetch mlrb-mini" in suite.needs["baby_lm"]
    assert "pairs-held" in suite.needs["baby_lm"]


def test_a_challenge_has_the_evaluators_that_it_uses_and_no_others() -> None:
    used = {
        name: {path for path in mlrb.challenge(mlrb.DATA / name).tests if path.startswith("trusted/")}
        for name in ("math_reasoning", "baby_lm")
    }
    assert {"trusted/lean.py", "trusted/lean_driver.js", "trusted/own_data.py"} <= used["math_reasoning"]
    assert not {"trusted/models.py", "trusted/quantisation.py"} & used["math_reasoning"]
    assert {"trusted/enciphered.py", "trusted/models.py", "trusted/choices.py"} <= used["baby_lm"]
    assert not {"trusted/lean.py", "trusted/quantisation.py"} & used["baby_lm"]
