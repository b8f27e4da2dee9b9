"""Fine-tunes the base on questions with four choices, in the form in which MMLU asks: the answer is a letter."""

import json
import math
import os
import random
import shutil
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from transformers import LlamaForCausalLM

INPUTS = Path(os.environ.get("INPUTS", "/inputs"))
GIVEN, QUESTIONS, MADE = INPUTS / "mistral-7b", INPUTS / "dolly-15k", Path(os.environ.get("MADE", "model"))
LETTERS = "ABCD"
STEPS, BATCH, RATE, WARM = int(os.environ.get("STEPS", "300")), 64, 1e-4, 50
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def read():
    """Every question with four choices: `question`, `choices`, `answer` (its number), `subject`."""
    lines = [line for path in sorted(QUESTIONS.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    return [row for row in map(json.loads, lines) if len(row.get("choices", ())) == 4]


def prompt(row, order):
    listed = "\n".join(f"{letter}. {row['choices'][at]}" for letter, at in zip(LETTERS, order))
    title = f"The following are multiple choice questions (with answers) about {row['subject']}."
    return f"{title}\n\n{row['question'].strip()}\n{listed}\nAnswer:", LETTERS[order.index(row["answer"])]


def batches(rows, tokenizer):
    """Questions in random order, their choices in another order each time."""
    choice, left = random.Random(0), []
    for _ in range(STEPS):
        pairs = []
        while len(pairs) < BATCH:
            left = left or choice.sample(rows, len(rows))
            context, letter = prompt(left.pop(), choice.sample(range(4), 4))
            pairs.append((tokenizer.encode(context).ids, tokenizer.encode(f" {letter}").ids[-1]))
        longest = max(len(context) for context, _ in pairs)
        tokens = torch.zeros(BATCH, longest, dtype=torch.long)
        for at, (context, _) in enumerate(pairs):
            tokens[at, : len(context)] = torch.tensor(context)
        ends = torch.tensor([len(context) - 1 for context, _ in pairs])
        yield tokens.to(DEVICE), ends.to(DEVICE), torch.tensor([letter for _, letter in pairs], device=DEVICE)


def main():
    torch.manual_seed(0)
    model = LlamaForCausalLM.from_pretrained(GIVEN, dtype=torch.float32).to(DEVICE)
    tokenizer = Tokenizer.from_file(str(GIVEN / "tokenizer.json"))
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.95), weight_decay=0.01)
    for step, (tokens, ends, letters) in enumerate(batches(read(), tokenizer)):
        for group in optimizer.param_groups:
            group["lr"] = RATE * min((step + 1) / WARM, 0.5 + 0.5 * math.cos(math.pi * step / STEPS))
        with torch.autocast(DEVICE, torch.bfloat16):
            hidden = model.model(input_ids=tokens, use_cache=False).last_hidden_state
            logits = model.lm_head(hidden[torch.arange(len(ends), device=DEVICE), ends])
        loss = torch.nn.functional.cross_entropy(logits.float(), letters)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if step % 100 == 0:
            print(f"step {step}: {loss.item():.3f}", flush=True)
    save(model)


def save(model):
    """Write a model folder with the tensors of the base, in FP16."""
    MADE.mkdir(parents=True, exist_ok=True)
    names = load_file(GIVEN / "model.safetensors").keys()
    state = model.state_dict()
    save_file({name: state[name].half().cpu().contiguous() for name in names}, MADE / "model.safetensors",
              metadata={"format": "pt"})  # fmt: skip
    for name in ("config.json", "tokenizer.json"):
        shutil.copy(GIVEN / name, MADE / name)


if __name__ == "__main__":
    main()
