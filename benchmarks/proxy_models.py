"""Models of different quality for `proxies.py`, each a model folder; made one after the other."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors.torch import load_file, save_file

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
NOISE = (0.05, 0.1, 0.2, 0.3)
"""Standard deviation of what is added to each weight, in parts of the root mean square of its matrix."""
DROPPED = (2, 5, 10)
"""Layers left out, from the middle on."""
TUNED = {"gsm8k": (20, 100), "letters": (60, 250)}
"""Steps of fine-tuning of each kind."""


class Recipe(NamedTuple):
    """How llamas are trained from scratch: one model for each number of steps, on one corpus."""

    hidden: int
    layers: int
    steps: tuple[int, ...]
    tokens: int = 8192
    corpus: str = "corpus.jsonl"
    """A file of JSON lines, or a folder of text files."""


SCRATCH = {
    "texts": Recipe(256, 4, (30, 60, 120, 250, 500, 1000), 2048, "texts"),
    "small": Recipe(256, 4, (60, 200, 600, 1500)),
    "large": Recipe(512, 8, (100, 300, 700)),
}
"""`texts` has what agents have in baby_lm: its texts, a vocabulary of that size, at most 5M parameters."""
CONTEXT = 2048
FULL_TIER = Path(__file__).resolve().parent / "full_tier"
sys.path.insert(0, str(FULL_TIER))

from openbookqa import write_questions  # noqa: E402

Weights = dict[str, torch.Tensor]


def make_models(data: Path, target: Path, only: list[str] | None, factor: float) -> Iterator[Path]:
    """Yield the folder of each model once it is there; `factor` scales all steps."""
    base = data / "smollm2-135m"
    makers: dict[str, Callable[[Path], None]] = {"smollm2": lambda folder: save(folder, base)}
    for noise in NOISE:
        makers[f"smollm2-noise-{noise}"] = lambda folder, noise=noise: add_noise(folder, base, noise)
    for dropped in DROPPED:
        makers[f"smollm2-without-{dropped}"] = lambda folder, dropped=dropped: drop_layers(
            folder, base, dropped
        )
    for kind, steps in TUNED.items():
        for number in steps:
            tune = tune_letters if kind == "letters" else tune_solutions
            makers[f"smollm2-{kind}-{number}"] = lambda folder, tune=tune, number=number: tune(
                folder, base, data, max(1, round(factor * number))
            )
    for name, make in makers.items():
        if only is None or name.startswith(tuple(only)):
            if not (target / name / "config.json").is_file():
                make(target / name)
            yield target / name
    for name, recipe in SCRATCH.items():
        if only is None or f"scratch-{name}".startswith(tuple(only)):
            yield from train_from_scratch(data, target, f"scratch-{name}", recipe, factor)


def save(folder: Path, base: Path, weights: Weights | None = None, **changes: Any) -> None:
    """Write a model folder with other weights, and settings that differ."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(base / "tokenizer.json", folder / "tokenizer.json")
    kept = {
        name: each.contiguous() for name, each in (weights or load_file(base / "model.safetensors")).items()
    }
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(
        json.dumps({**json.loads((base / "config.json").read_text()), **changes})
    )


def add_noise(folder: Path, base: Path, noise: float) -> None:
    """Add normal noise to every matrix."""
    generator = torch.Generator().manual_seed(0)
    weights = load_file(base / "model.safetensors")
    for name, each in weights.items():
        if each.dim() == 2:
            values = each.float()
            scale = noise * values.square().mean().sqrt()
            weights[name] = (values + scale * torch.randn(values.shape, generator=generator)).half()
    save(folder, base, weights)


def drop_layers(folder: Path, base: Path, number: int) -> None:
    """Leave out layers from the middle on."""
    weights, kept = load_file(base / "model.safetensors"), {}
    count = json.loads((base / "config.json").read_text())["num_hidden_layers"]
    order = [layer for layer in range(count) if not count // 2 <= layer < count // 2 + number]
    for name, each in weights.items():
        layer = re.match(r"model\.layers\.(\d+)\.", name)
        if layer is None:
            kept[name] = each
        elif int(layer[1]) in order:
            kept[name.replace(layer[0], f"model.layers.{order.index(int(layer[1]))}.", 1)] = each
    save(folder, base, kept, num_hidden_layers=len(order))


def tune_solutions(folder: Path, base: Path, data: Path, steps: int) -> None:
    """Fine-tune on solutions of GSM8K."""
    from tokenizers import Tokenizer
    from transformers import LlamaForCausalLM

    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    lines = (data / "gsm8k/grade_school_math/data/train.jsonl").read_text("utf-8").splitlines()
    problems, choice = [json.loads(line) for line in lines], random.Random(0)
    model = LlamaForCausalLM.from_pretrained(base, dtype=torch.float32).to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5, betas=(0.9, 0.95), weight_decay=0.01)
    for step in range(steps):
        texts = [solved(row) for row in choice.sample(problems, 32)]
        rows = [(tokenizer.encode(before).ids, tokenizer.encode(after).ids) for before, after in texts]
        longest = max(len(before) + len(after) for before, after in rows)
        tokens, labels = (
            torch.zeros(len(rows), longest, dtype=torch.long),
            torch.full((len(rows), longest), -100),
        )
        for at, (before, after) in enumerate(rows):
            tokens[at, : len(before) + len(after)] = torch.tensor(before + after)
            labels[at, len(before) : len(before) + len(after)] = torch.tensor(after)
        for group in optimizer.param_groups:
            group["lr"] = 1e-4 * min((step + 1) / 20, 1 - step / steps)
        with torch.autocast(DEVICE, torch.bfloat16):
            loss = model(input_ids=tokens.to(DEVICE), labels=labels.to(DEVICE), use_cache=False).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    names = load_file(base / "model.safetensors").keys()
    state = model.state_dict()
    save(folder, base, {name: state[name].half().cpu() for name in names})


def solved(row: dict[str, str]) -> tuple[str, str]:
    """Return a problem and its solution."""
    return f"Question: {row['question']}\nAnswer:", f" {row['answer']}\n\n"


def tune_letters(folder: Path, base: Path, data: Path, steps: int) -> None:
    """Fine-tune on OpenBookQA's questions, where the answer is a letter."""
    with tempfile.TemporaryDirectory() as place:
        table = (data / "openbookqa/data/openbookqa/Main/train.tsv").read_text("utf-8")
        write_questions(table, Path(place) / "dolly-15k")
        (Path(place) / "mistral-7b").symlink_to(base.resolve())
        variables = {**os.environ, "INPUTS": place, "MADE": str(folder), "STEPS": str(steps)}
        subprocess.run([sys.executable, FULL_TIER / "llm_efficiency/tune.py"], env=variables, check=True)


def train_from_scratch(data: Path, target: Path, name: str, recipe: Recipe, factor: float) -> Iterator[Path]:
    """Train llamas on the corpus and yield them; each has a schedule and a training of its own."""
    spec = importlib.util.spec_from_file_location("trainer", FULL_TIER / "baby_lm/train.py")
    assert spec is not None
    assert spec.loader is not None
    trainer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(trainer)
    texts = read_corpus(data / recipe.corpus)
    texts = texts if factor >= 1 else texts[::100]
    tokenizer = trainer.train_tokenizer(texts, recipe.tokens)
    tokens = trainer.stream(texts, tokenizer)
    for steps in recipe.steps:
        folder = target / f"{name}-{steps}"
        if not (folder / "tokenizer.json").is_file():  # written last: a stopped run may leave the rest
            torch.manual_seed(0)
            hidden = recipe.hidden
            model = trainer.make(tokenizer.get_vocab_size(), hidden, recipe.layers, hidden // 64, CONTEXT)
            trainer.train(model, tokens, max(1, round(factor * steps)), 128 if factor >= 1 else 4)
            model.save_pretrained(folder)
            tokenizer.save(str(folder / "tokenizer.json"))
        yield folder


def read_corpus(path: Path) -> list[str]:
    """Return the texts of a file of JSON lines, or the paragraphs of a folder's text files."""
    if path.is_file():
        return [json.loads(line)["text"] for line in path.read_text("utf-8").splitlines()]
    blocks = [block for file in sorted(path.glob("*.txt")) for block in file.read_text("utf-8").split("\n\n")]
    return [" ".join(block.split()) for block in blocks if block.strip()]
