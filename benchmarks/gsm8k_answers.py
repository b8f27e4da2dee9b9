"""GSM8K as lm-eval asks it: five solved problems, a greedy answer, the number after `####` must be equal.

The solved problems are the first five of the training set; lm-eval draws them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from trusted.estimates import Estimate, mean_of

SHOTS = 5
TOKENS = 192
BATCH = 165
PROBLEMS = 330
"""The first quarter of the test set."""
ANSWER = re.compile(r"#### (-?[0-9.,]+)")


def solve(model: Any, folder: Path, most: int | None = None) -> Estimate:
    """Return the share of test problems with the right number; on a GPU, the model becomes BF16."""
    if model.network.device.type == "cuda":
        model.network.bfloat16()
    shots = "".join(
        f"Question: {row['question']}\nAnswer: {row['answer']}\n\n" for row in rows(folder, "train")[:SHOTS]
    )
    problems = rows(folder, "test")[: most or PROBLEMS]
    earned: list[float] = []
    for at in range(0, len(problems), BATCH):
        part = problems[at : at + BATCH]
        texts = generate(model, [f"{shots}Question: {row['question']}\nAnswer:" for row in part])
        earned += [
            float(number(text) == number(row["answer"])) for text, row in zip(texts, part, strict=True)
        ]
    return mean_of(earned)


def rows(folder: Path, split: str) -> list[dict[str, str]]:
    """Read one part of GSM8K."""
    return [json.loads(line) for line in (folder / f"{split}.jsonl").read_text("utf-8").splitlines()]


def number(text: str) -> str | None:
    """Return the first number after `####`, without commas and a last full stop; None if there is none."""
    found = ANSWER.search(text)
    return found[1].replace(",", "").removesuffix(".") if found else None


def generate(model: Any, prompts: list[str]) -> list[str]:
    """Continue each prompt greedily, all at once, and cut each answer where a next question begins."""
    import torch

    room = max(1, model.context - TOKENS)
    encoded = [model.encode(prompt)[-room:] for prompt in prompts]
    longest = max(map(len, encoded))
    tokens = torch.tensor([[model.prefix] * (longest - len(row)) + row for row in encoded])
    visible = torch.tensor([[0] * (longest - len(row)) + [1] * len(row) for row in encoded])
    device = model.network.device
    with torch.inference_mode():
        made = model.network.generate(
            tokens.to(device), attention_mask=visible.to(device), max_new_tokens=TOKENS, do_sample=False,
            pad_token_id=model.prefix, eos_token_id=None,
        )  # fmt: skip
    return [model.tokenizer.decode(row[longest:]).split("Question:")[0] for row in made.tolist()]
