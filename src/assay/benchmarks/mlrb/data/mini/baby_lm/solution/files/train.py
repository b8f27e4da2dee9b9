"""A llama of 0.2 million parameters that reads sentences, each led by <s> as in the test; one cycle of the rate."""

import re

import torch
from reading import START, TEXTS, TOKENIZER, llama, names, save, settings
from tokenizers import Tokenizer
from training import mixed, train


def sentences_of(name):
    """The tokens of a text, with <s> before each sentence."""
    text = " ".join((TEXTS / f"{name}.txt").read_text("utf-8").split())
    found = [each for each in re.split(r"(?<=[.!?])\s+", text) if each]
    read = Tokenizer.from_file(str(TOKENIZER / "tokenizer.json")).encode_batch(found)
    return torch.tensor([token for each in read for token in (START, *each.ids)])


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = llama()
    train(model, mixed([sentences_of(name) for name in names()]), settings()["steps"], rate=6e-3)
    save(model)


if __name__ == "__main__":
    main()
