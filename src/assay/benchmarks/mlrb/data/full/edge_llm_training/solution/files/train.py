"""A plain first solution: a small llama, trained once over the beginning of the texts."""

import json
import time
from pathlib import Path

import torch
from tokenizers import ByteLevelBPETokenizer
from transformers import LlamaConfig, LlamaForCausalLM

GIVEN, MADE = Path("/inputs/c4-and-alpaca"), Path("model")
KEYS = ("text", "content", "output")
MOST_CHARACTERS, MOST_SECONDS = 200_000_000, 1200
CONTEXT, BATCH = 256, 8


def rows(path):
    if path.suffix == ".parquet":
        import pyarrow.parquet

        for batch in pyarrow.parquet.ParquetFile(path).iter_batches(1000):
            yield from batch.to_pylist()
    elif path.suffix in (".jsonl", ".json"):
        yield from (json.loads(line) for line in path.read_text().splitlines() if line.strip())
    elif path.suffix in (".txt", ".train"):
        yield {"text": path.read_text()}


def texts():
    left = MOST_CHARACTERS
    for path in sorted(path for path in GIVEN.rglob("*") if path.is_file()):
        for row in rows(path):
            text = next((row[key] for key in KEYS if row.get(key)), "")
            left -= len(text)
            if left < 0:
                return
            yield text


torch.manual_seed(0)
given = list(texts())
tokenizer = ByteLevelBPETokenizer()
tokenizer.train_from_iterator((text[:10_000] for text in given[:50_000]), 8192, special_tokens=["<s>"], show_progress=False)
tokens = torch.tensor([each for text in given for each in (0, *tokenizer.encode(text).ids)])
device = "cuda" if torch.cuda.is_available() else "cpu"
config = LlamaConfig(
    vocab_size=tokenizer.get_vocab_size(), hidden_size=256, intermediate_size=688, num_hidden_layers=4,
    num_attention_heads=4, num_key_value_heads=4, max_position_embeddings=CONTEXT, tie_word_embeddings=True,
    bos_token_id=0, eos_token_id=0,
)
model = LlamaForCausalLM(config).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
begun = time.monotonic()
for at in range(0, len(tokens) - CONTEXT * BATCH, CONTEXT * BATCH):
    batch = tokens[at : at + CONTEXT * BATCH].view(BATCH, CONTEXT).to(device)
    loss = model(input_ids=batch, labels=batch).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    if time.monotonic() - begun > MOST_SECONDS:
        break
model.save_pretrained(MADE)
tokenizer.save(str(MADE / "tokenizer.json"))
