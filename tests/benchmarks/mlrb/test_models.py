"""A tiny model, loaded and asked in the task's own environment; one process for all of it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.benchmarks.mlrb import tiny
from tests.benchmarks.mlrb.environment import run_trusted

pytestmark = pytest.mark.long
"""Torch and its models take half a minute to load."""

PROGRAM = """
from trusted import blimp, cosmos_xsum, memory, mmlu, perplexity, superglue
from trusted.models import load_model
from trusted.verdicts import Refused
root = Path(sys.argv[1])
model, found = load_model(root / "good"), {}

def refused(name):
    try:
        other = load_model(root / name)
        other.loglikelihoods([("a", " b")])
    except Refused as error:
        return str(error)

def shown(estimate):
    return [estimate.score, estimate.standard_error, estimate.number, list(estimate.parts)]

pairs = [("", " Who?"), ("A context:", " yes"), ("A context:", " no"), ("x ", "y"), ("a" * 300, " b")]
found["together"] = model.loglikelihoods(pairs)
found["alone"] = [model.loglikelihoods([pair])[0] for pair in pairs]
logits = model.network(__import__("torch").tensor([[256, *b" Who?"]])).logits[0].double().log_softmax(-1)
found["by hand"] = sum(float(logits[at, byte]) for at, byte in enumerate(b" Who?"))
found["rolled"] = perplexity.text_bits(model, ["some text " * 40, "short"], 50)
found["next"] = [model.token_loglikelihoods([([256], list(b"short"))])[0]]
found["blimp"] = shown(blimp.evaluate(model, root / "blimp"))
whole = blimp.evaluate_equally(model, root / "blimp")
found["equal blimp"] = [shown(each) for each in (whole, *whole.parts.values())]
found["uniform blimp"] = shown(blimp.evaluate(load_model(root / "zero"), root / "blimp"))
found["cloze"] = shown(mmlu.evaluate(model, root / "mmlu", "cloze"))
found["letter"] = shown(mmlu.evaluate(model, root / "mmlu", "letter", 3))
found["superglue"] = shown(superglue.evaluate(model, root / "superglue"))
found["cosmos"] = shown(cosmos_xsum.evaluate_cosmos(model, root / "merging"))
found["xsum"] = shown(cosmos_xsum.evaluate_xsum(model, root / "merging"))
found["summary bits"] = shown(cosmos_xsum.xsum_bits(model, root / "merging"))
found["generated"] = [model.generate("The", 6), model.generate("The", 6)]
found["refused"] = {name: refused(name) for name in sys.argv[2:]}
other = load_model(root / "gpt2")
found["gpt2"] = other.loglikelihoods(pairs)
found["gpt2 alone"] = [other.loglikelihoods([pair])[0] for pair in pairs]
found["long"] = [model.loglikelihoods([("", "a" * 300)])[0], sum(
    model.token_loglikelihoods([([256] + [97] * at, [97] * min(128, 300 - at))])[0] for at in (0, 128, 256))]
large = load_model(root / "large attention")
found["large"] = [large.loglikelihoods(pairs), [large.loglikelihoods([pair])[0] for pair in pairs]]
found["memory"] = memory.check(root / "good", 1, 64)
print(json.dumps(found))
"""
MEMORY = """
from trusted import memory
root = Path(sys.argv[1])
print(json.dumps([memory.check(root / name, 4000, 64) for name in ("good", "nowhere")]))
"""
"""Each check starts a process that loads the model with PyTorch, which takes seconds."""


REWRITING: dict[str, Any] = {
    "dropping": {"type": "Replace", "pattern": {"Regex": "[^ ]"}, "content": ""},
    "knowing": {"type": "Sequence", "normalizers": [
        {"type": "NFC"}, {"type": "Replace", "pattern": {"String": "Them run"}, "content": "wrong"}]},
}  # fmt: skip


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Everything the tests ask, answered once."""
    root = tmp_path_factory.mktemp("models")
    values = tiny.tensors(1)
    tiny.save(root / "good", tiny.each_matrix(values, lambda each: 4 * each))
    tiny.save(root / "zero", {name: np.zeros_like(each) for name, each in values.items()})
    tiny.save(root / "nan", values | {"model.norm.weight": np.full(32, np.nan)})
    tiny.save(root / "small vocabulary", tiny.tensors(1, vocab_size=200), vocab_size=200)
    tiny.save(root / "no prefix", values, bos_token_id=999)
    tiny.save(root / "heads", values, num_attention_heads=3, num_key_value_heads=2, head_dim=8)
    _gpt2(root / "gpt2")
    _gpt2(root / "large attention", _attend_to_y_and_s, n_layer=1, n_head=32)
    _sets(root)
    for name, normalizer in REWRITING.items():
        given = tiny.tokenizer() | {"normalizer": normalizer}
        (tiny.save(root / name, values) / "tokenizer.json").write_text(json.dumps(given))
    bad = ["nan", "small vocabulary", "no prefix", "heads", *REWRITING]
    answer: dict[str, Any] = run_trusted(PROGRAM, str(root), *bad)
    return answer


def _gpt2(folder: Path, change: Callable[[tiny.Tensors], None] | None = None, **changes: Any) -> None:
    given = {"model_type": "gpt2", "vocab_size": 258, "n_embd": 32, "n_layer": 2, "n_head": 4,
             "n_positions": 64, "bos_token_id": 256, "eos_token_id": 257} | changes  # fmt: skip
    choice = np.random.default_rng(0)
    shapes = tiny.expected("gpt2", given)
    values = {name: choice.normal(size=shape) * 0.1 for name, shape in shapes.items()}
    if change:
        change(values)
    tiny.save(folder, values)
    (folder / "config.json").write_text(json.dumps(given))


def _attend_to_y_and_s(values: tiny.Tensors) -> None:
    """Give the letters y and s an attention score of 2e38 and all other tokens -2e38."""
    side = np.resize([1.0, -1.0], 32)
    sign = np.full(258, -1.0)
    sign[list(b"ys")] = 1.0
    values["transformer.wte.weight"] += 10 * np.outer(sign, side)
    values["transformer.h.0.ln_1.weight"][:] = 1
    values["transformer.h.0.ln_1.bias"][:] = 0
    weight, bias = values["transformer.h.0.attn.c_attn.weight"], values["transformer.h.0.attn.c_attn.bias"]
    weight[:, :64], bias[:64] = 0, 0
    bias[:32] = 1.4e19
    weight[:, 32:64] = 1.4e19 * side[:, None] / 32


def _sets(root: Path) -> None:
    """Small evaluation sets in the formats of the published ones."""
    for name in (
        "blimp",
        "mmlu/test",
        "merging",
        *(f"superglue/{task}" for task in ("BoolQ", "WiC", "RTE", "WSC", "CB")),
    ):
        (root / name).mkdir(parents=True)
    for paradigm in ("agreement", "islands"):
        rows = [
            {"sentence_good": f"They {verb}.", "sentence_bad": f"Them {verb}."}
            for verb in ("run", "sit", "go")
        ]
        (root / "blimp" / f"{paradigm}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for subject in ("anatomy", "world_religions"):
        lines = [
            "question,choice0,choice1,choice2,choice3,answer",
            '"How many, then?",one,two,three,four,2',
            "Who?,a,b,c,d,0",
        ]
        (root / "mmlu" / "test" / f"{subject}_test.csv").write_text("\n".join(lines) + "\n")
    premise = {"premise": "It rains.", "hypothesis": "It is wet"}
    target = {"span1_text": "Ann", "span2_text": "she", "span2_index": 3}
    glue: dict[str, list[dict[str, Any]]] = {
        "BoolQ": [
            {"passage": "Snow is white.", "question": "is snow white", "label": label}
            for label in ("true", False)
        ],
        "WiC": [{"sentence1": "A bank.", "sentence2": "The bank.", "start1": 2, "end1": 6, "label": True}]
        * 2,
        "RTE": [premise | {"label": label} for label in ("entailment", "not_entailment")],
        "WSC": [{"text": "Ann said that she left .", "target": target, "label": "True"}] * 2,
        "CB": [premise | {"label": label} for label in ("entailment", "contradiction", "neutral")],
    }
    for task, rows in glue.items():
        (root / "superglue" / task / "val.jsonl").write_text("\n".join(map(json.dumps, rows)))
    cosmos = (
        """id,input,target,answer_choices\n0,"Why? A. x\nB. y",1,"['A', 'B']"\n1,Who?,0,"['he', 'she']"\n"""
    )
    (root / "merging" / "cosmos_qa.csv").write_text(cosmos)
    (root / "merging" / "xsum.csv").write_text(
        "id,input,target\n0,Long text. A summary is,Short.\n1,More. A summary is,Less.\n"
    )


def test_likelihoods_are_those_of_the_network_alone_or_in_batches(found: dict[str, Any]) -> None:
    assert found["together"] == pytest.approx(found["alone"], abs=1e-4)
    assert found["together"][0] == pytest.approx(found["by hand"], abs=1e-4)
    assert len(set(found["together"])) == 5


def test_attention_scores_as_large_as_numbers_can_be_do_not_show_what_is_hidden(
    found: dict[str, Any],
) -> None:
    together, alone = found["large"]
    assert together == pytest.approx(alone, abs=1e-3)


def test_a_continuation_longer_than_the_context_is_scored_in_parts(found: dict[str, Any]) -> None:
    whole, parts = found["long"]
    assert whole == pytest.approx(parts, rel=1e-5)


def test_a_text_of_one_window_needs_the_bits_of_its_tokens(found: dict[str, Any]) -> None:
    assert found["rolled"][1] == pytest.approx(-found["next"][0] / math.log(2), abs=1e-4)
    assert found["rolled"][0] > 400


def test_each_set_is_read_in_its_own_format_and_scored_with_an_error(found: dict[str, Any]) -> None:
    numbers = {
        "blimp": 6,
        "cloze": 4,
        "letter": 3,
        "superglue": 11,
        "cosmos": 2,
        "xsum": 2,
        "summary bits": 2,
    }
    for name, number in numbers.items():
        score, error, items, _ = found[name]
        assert items == number, name
        assert math.isfinite(error), name
        assert score > 0 if name == "summary bits" else 0 <= score <= 1, name
    assert found["blimp"][3] == ["agreement", "islands"]
    whole, first, second = found["equal blimp"]
    assert whole[0] == pytest.approx((first[0] + second[0]) / 2)
    assert whole[1] == pytest.approx(math.hypot(first[1], second[1]) / 2)
    assert found["superglue"][3] == ["BoolQ", "WiC", "RTE", "WSC", "CB"]


def test_a_model_without_an_opinion_is_not_right_because_the_right_answer_stands_first(
    found: dict[str, Any],
) -> None:
    assert found["uniform blimp"][:2] == [0.5, 0.0]
    assert found["generated"][0] == found["generated"][1]


def test_models_that_do_not_work_are_refused_with_the_reason(found: dict[str, Any]) -> None:
    refused = found["refused"]
    assert "not finite" in refused["nan"]
    assert "the tokenizer has token" in refused["small vocabulary"]
    assert "bos_token_id" in refused["no prefix"]
    assert "not those that config.json describes" in refused["heads"]
    assert all("normalizer 'Replace' is not allowed" in refused[name] for name in REWRITING)
    assert found["gpt2"] == pytest.approx(found["gpt2 alone"], abs=1e-4)


def test_a_model_over_the_limit_on_memory_is_refused_with_the_limit(found: dict[str, Any]) -> None:
    """Where the libraries left free pages, the process ends well and its peak is compared with the limit."""
    tight = found["memory"]
    assert not tight["met"]
    assert re.search(r"(needs more than|MiB of) 1 MiB", tight["evidence"]), tight["evidence"]


def test_memory_is_measured_beside_that_of_the_libraries(tmp_path: Path) -> None:
    tiny.save(tmp_path / "good", tiny.each_matrix(tiny.tensors(1), lambda matrix: 4 * matrix))
    roomy, nowhere = run_trusted(MEMORY, str(tmp_path))
    assert nowhere["evidence"].startswith("did not run:")
    assert roomy["met"], roomy["evidence"]
    assert 1 < float(roomy["evidence"].split()[1]) < 500
    assert float(roomy["evidence"].split("beside ")[1].split()[0]) > 50
