"""A llama of 29M parameters, trained on short passages that each begin a row, several times over all texts."""

import json
import math
import random
import re
import time
from pathlib import Path

import torch
from tokenizers import ByteLevelBPETokenizer
from transformers import LlamaConfig, LlamaForCausalLM

GIVEN, MADE = Path("/inputs/babylm"), Path("model")
TOKENS, CONTEXT, BATCH = 8192, 256, 128
HIDDEN, LAYERS, HEADS = 512, 8, 8
STEPS, WARM, RATE = 800, 100, 2e-3
MOST_SECONDS = 3600
PASSAGE = 400
"""Characters after which a passage ends at the next sentence: each begins as a sentence of its own does."""
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def rows(folder):
    """Yield every text of the JSON lines files."""
    for path in sorted(folder.rglob("*.jsonl")):
        yield from (json.loads(line)["text"] for line in path.read_text("utf-8").splitlines())


def passages(text):
    """Cut a text at ends of sentences."""
    passage = ""
    for sentence in re.split(r"(?<=[.!?\n])\s+", text):
        passage += ("" if not passage else " ") + sentence
        if len(passage) >= PASSAGE:
            yield passage
            passage = ""
    if passage:
        yield passage


def train_tokenizer(texts, size=TOKENS):
    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(iter(texts), size, special_tokens=["<s>"], show_progress=False)
    return tokenizer


def stream(texts, tokenizer):
    """All passages in random order, as one row of tokens."""
    pieces = [piece for text in texts for piece in passages(text)]
    random.Random(0).shuffle(pieces)
    encoded = tokenizer.encode_batch(pieces)
    return torch.tensor([token for piece in encoded for token in (0, *piece.ids)])


def make(size, hidden=HIDDEN, layers=LAYERS, heads=HEADS, context=CONTEXT):
    config = LlamaConfig(
        vocab_size=size, hidden_size=hidden, intermediate_size=hidden * 8 // 3 // 16 * 16, num_hidden_layers=layers,
        num_attention_heads=heads, num_key_value_heads=heads, max_position_embeddings=context,
        tie_word_embeddings=True, bos_token_id=0, eos_token_id=0,
    )
    return LlamaForCausalLM(config).to(DEVICE)


def rate(step, steps, most):
    """A rise, then half a cosine down to a tenth."""
    return most * min((step + 1) / WARM, 0.55 + 0.45 * math.cos(math.pi * step / steps))


def train(model, tokens, steps=STEPS, batch=BATCH, seconds=MOST_SECONDS, after_step=lambda step: None):
    """Train on windows from random places; `after_step` is called with the number of steps made."""
    generator = torch.Generator().manual_seed(0)
    decayed = [each for each in model.parameters() if each.dim() == 2]
    others = [each for each in model.parameters() if each.dim() != 2]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}],
        lr=RATE, betas=(0.9, 0.95), fused=DEVICE == "cuda",
    )
    tokens, begun, window = tokens.to(DEVICE), time.monotonic(), torch.arange(CONTEXT)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = rate(step, steps, RATE)
        starts = torch.randint(len(tokens) - CONTEXT, (batch, 1), generator=generator)
        rows_ = tokens[(starts + window).to(DEVICE)]
        with torch.autocast(DEVICE, torch.bfloat16):
            loss = model(input_ids=rows_, labels=rows_, use_cache=False).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        after_step(step + 1)
        if step % 200 == 0:
            print(f"step {step}: {loss.item():.3f} after {time.monotonic() - begun:.0f} s", flush=True)
        if time.monotonic() - begun > seconds:
            break


def main():
    torch.manual_seed(0)
    texts = list(rows(GIVEN))
    tokenizer = train_tokenizer(texts)
    model = make(tokenizer.get_vocab_size())
    train(model, stream(texts, tokenizer))
    model.save_pretrained(MADE)
    tokenizer.save(str(MADE / "tokenizer.json"))


if __name__ == "__main__":
    main()
