"""Reading the given texts, making a model with random weights, and writing a model folder."""

import json
import os
import random
import shutil
from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import LlamaConfig, LlamaForCausalLM

INPUTS, MADE = Path(os.environ.get("INPUTS", "/inputs")), Path("model")
TEXTS, TOKENIZER = INPUTS / "texts", INPUTS / "tokenizer"
START, END = 0, 1
"""The tokens <s> and </s>."""
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
VOCABULARY = Tokenizer.from_file(str(TOKENIZER / "tokenizer.json")).get_vocab_size()


def settings():
    """What settings.json says: how many steps the two solutions train."""
    return json.loads(Path("settings.json").read_text())


def tokens_of(name, most=None):
    """The tokens of one of the texts, at most so many characters of it."""
    text = (TEXTS / f"{name}.txt").read_text("utf-8")
    return torch.tensor(Tokenizer.from_file(str(TOKENIZER / "tokenizer.json")).encode(text[:most]).ids)


def names():
    return sorted(path.stem for path in TEXTS.glob("*.txt"))


def windows(tokens, number, size, seed):
    """Batches without end: so many windows of so many tokens, from random places."""
    choice = random.Random(seed)
    while True:
        starts = [choice.randrange(len(tokens) - size) for _ in range(number)]
        yield torch.stack([tokens[at : at + size] for at in starts]).to(DEVICE)


def llama(width=64, inside=128, layers=2, heads=2, window=128):
    """A llama with random weights: its widths outside and inside a layer, and how many tokens it can read at once."""
    config = LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=width, intermediate_size=inside, num_hidden_layers=layers,
        num_attention_heads=heads, max_position_embeddings=window, tie_word_embeddings=True, bos_token_id=START,
        eos_token_id=END,
    )
    return LlamaForCausalLM(config).to(DEVICE)


def save(model):
    """A model folder: configuration, weights, and the tokenizer as it was given."""
    model.to("cpu").save_pretrained(MADE)
    shutil.copy(TOKENIZER / "tokenizer.json", MADE / "tokenizer.json")
