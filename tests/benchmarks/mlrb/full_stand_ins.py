"""Tiny inputs in place of the full tier's own, in the layouts that its homes serve."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from assay.benchmarks.mlrb.trusted.shapes import expected
from assay.benchmarks.mlrb.trusted.weights import Array
from tests.benchmarks.mlrb import tiny
from tests.benchmarks.mlrb.stand_ins import text

MISTRAL = {"model_type": "mistral", "sliding_window": 4096, "architectures": ["MistralForCausalLM"]}
PHI = {
    "model_type": "phi", "vocab_size": 258, "hidden_size": 32, "intermediate_size": 64,
    "num_hidden_layers": 6, "num_attention_heads": 4, "max_position_embeddings": 128,
    "partial_rotary_factor": 0.5, "layer_norm_eps": 1e-5, "hidden_act": "gelu_new",
    "bos_token_id": 256, "eos_token_id": 257,
}  # fmt: skip
PREMISE = {"premise": "It rains all day long here.", "hypothesis": "It is wet"}
SPANS = {"span1_text": "Ann", "span2_text": "she", "span2_index": 3}
RECORD = "Ann met Bob in Rome.\n@highlight\nThey were happy in the old town"
GLUE: dict[str, list[dict[str, Any]]] = {
    "BoolQ": [{"passage": "Snow is white.", "question": "is snow white", "label": label}
              for label in (True, False)],
    "WiC": [{"sentence1": "A bank.", "sentence2": "The bank.", "start1": 2, "end1": 6, "label": True}] * 2,
    "RTE": [PREMISE | {"label": label} for label in ("entailment", "not_entailment")],
    "WSC": [{"text": "Ann said that she left .", "target": SPANS, "label": True}] * 2,
    "CB": [PREMISE | {"label": label} for label in ("entailment", "contradiction", "neutral")],
    "COPA": [{"premise": "It rained.", "choice1": "The street was wet.", "choice2": "The sun shone.",
              "question": asked, "label": label} for asked, label in (("effect", 0), ("cause", 1))],
    "MultiRC": [{"passage": {"text": f"Ann met Bob in {town}.", "questions": [
        {"question": "Whom did she meet?", "answers": [
            {"text": "Bob", "label": 1}, {"text": "Eve", "label": 0}]}]}} for town in ("Rome", "Oslo")],
    "ReCoRD": [{"passage": {"text": RECORD, "entities": [
        {"start": 0, "end": 2}, {"start": 8, "end": 10}, {"start": 15, "end": 18}]},
        "qas": [{"query": f"@placeholder was {word} by Ann", "answers": [
            {"start": 8, "end": 10, "text": "Bob"}]} for word in ("seen", "met")]}],
}  # fmt: skip
THEOREM = """import tactic

theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p :=
begin
  exact ⟨h.2, h.1⟩,
end"""
PROOF = {
    "informal_statement": "And can be turned round.",
    "informal_proof": "Take both sides.",
    "formal_proof": THEOREM,
}


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def cut(folder: Path, values: Mapping[str, Array], dtype: str = "F32", **changes: Any) -> None:
    """A model folder whose weights stand in two files, as the hub has large ones."""
    tiny.save(folder, values, dtype, **changes)
    (folder / "model.safetensors").unlink()
    names = sorted(values)
    for number, part in enumerate((names[::2], names[1::2]), start=1):
        data = tiny.pack({name: values[name] for name in part}, dtype, {"format": "pt"})
        (folder / f"model-0000{number}-of-00002.safetensors").write_bytes(data)


def phi_tensors(seed: int = 5) -> dict[str, Array]:
    choice = np.random.default_rng(seed)
    return {
        name: np.float64(np.float16(choice.normal(size=shape) * 0.05 + (len(shape) == 1)))
        for name, shape in expected("phi", PHI).items()
    }


def _mistral(seed: int) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        base = tiny.tensors(0, tie_word_embeddings=False)
        cut(folder, tiny.tuned(base, seed) if seed else base, tie_word_embeddings=False, **MISTRAL)

    return make


def _llama(folder: Path) -> None:
    cut(folder, tiny.tensors(9, tie_word_embeddings=False), tie_word_embeddings=False)


def _phi(folder: Path) -> None:
    cut(folder, phi_tensors(), "F16")
    (folder / "config.json").write_text(json.dumps(PHI))


def _texts(key: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        rows = [{key: text(f"{key} {at}", 400)} for at in range(6)]
        (folder / "train.jsonl").write_text(lines(rows))

    return make


def _mmlu(folder: Path) -> None:
    """As published: no header, the answer by its letter."""
    place = folder / "data" / "test"
    place.mkdir(parents=True)
    for subject in ("anatomy", "world_religions"):
        rows = (
            '"How many of the old ships, then, came home to the town?",one,two,three,four,C\nWho?,a,b,c,d,A\n'
        )
        (place / f"{subject}_test.csv").write_text(rows)


def _blimp(folder: Path) -> None:
    place = folder / "blimp-master" / "data"
    place.mkdir(parents=True)
    for paradigm in ("agreement", "islands"):
        verbs = ("run", "sit", "go")
        rows = [{"sentence_good": f"They {verb}.", "sentence_bad": f"Them {verb}."} for verb in verbs]
        (place / f"{paradigm}.jsonl").write_text(lines(rows))


def _superglue(folder: Path) -> None:
    for task, rows in GLUE.items():
        (folder / task).mkdir()
        (folder / task / "val.jsonl").write_text(lines(rows))


def _merging(folder: Path) -> None:
    cosmos = "input,target,answer_choices\nWhy? Answer:,1,\"['A', 'B']\"\nWho? Answer:,0,\"['A', 'B']\"\n"
    (folder / "cosmos_qa.csv").write_text(cosmos)
    (folder / "xsum.csv").write_text(
        "input,target\nLong text. A summary is,Short.\nMore. A summary is,Less.\n"
    )


def _proofs(folder: Path) -> None:
    (folder / "rows.jsonl").write_text(lines([PROOF | {"name": "swap"}, PROOF | {"name": "again"}]))


MAKERS: dict[str, Callable[[Path], None]] = {
    "mistral-7b": _mistral(0),
    "zephyr-7b-beta": _mistral(1),
    "openhermes-2.5-mistral-7b": _mistral(2),
    "llama-2-7b": _llama,
    "phi-2": _phi,
    "dolly-15k": _texts("response"),
    "oasst1": _texts("text"),
    "babylm": _texts("content"),
    "minipile": _texts("text"),
    "c4-and-alpaca": _texts("text"),
    "merging-validation": _merging,
    "proofs": _proofs,
    "proofs-held": _proofs,
    "mmlu": _mmlu,
    "blimp": _blimp,
    "superglue": _superglue,
}


def make(name: str, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    MAKERS[name](folder)
    return folder
