"""A small llama trained on all texts for a little, then on each of three domains: base and experts."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from transformers import LlamaConfig, LlamaForCausalLM

DOMAINS = ("news", "plays", "speeches")
WINDOW, BATCH = 64, 16
BASE_STEPS, EXPERT_STEPS = 80, 120
BASE_RATE, EXPERT_RATE = 6e-3, 3e-3
SIGNS = 600_000
"""Of each text so many are read: all that so few steps can see."""


def network(vocabulary: int) -> LlamaForCausalLM:
    torch.manual_seed(0)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=vocabulary, hidden_size=96, intermediate_size=192, num_hidden_layers=3,
            num_attention_heads=4, num_key_value_heads=4, max_position_embeddings=128,
            tie_word_embeddings=True, bos_token_id=0, eos_token_id=1,
        )
    )  # fmt: skip


def train(model: Any, tokens: list[int], steps: int, rate: float, seed: int) -> None:
    choice, whole = random.Random(seed), torch.tensor(tokens)
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, betas=(0.9, 0.95), weight_decay=0.1)
    plan = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps, pct_start=0.1)
    for _ in range(steps):
        starts = [choice.randrange(len(tokens) - WINDOW) for _ in range(BATCH)]
        batch = torch.stack([whole[at : at + WINDOW] for at in starts])
        loss = model(input_ids=batch, labels=batch, use_cache=False).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        plan.step()
        optimiser.zero_grad()


def main(texts: Path, tokenizer: Path, target: Path) -> None:
    torch.set_num_threads(1)
    reader = Tokenizer.from_file(str(tokenizer / "tokenizer.json"))
    tokens = {
        path.stem: reader.encode(path.read_text("utf-8")[:SIGNS]).ids for path in sorted(texts.glob("*.txt"))
    }
    model = network(reader.get_vocab_size())
    train(model, [each for part in tokens.values() for each in part], BASE_STEPS, BASE_RATE, 0)
    model.save_pretrained(target / "base")
    for number, domain in enumerate(DOMAINS, start=1):
        expert = LlamaForCausalLM.from_pretrained(target / "base")
        train(expert, tokens[domain], EXPERT_STEPS, EXPERT_RATE, number)
        expert.save_pretrained(target / domain)
    for name in ("base", *DOMAINS):
        reader.save(str(target / name / "tokenizer.json"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
