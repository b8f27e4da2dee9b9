"""A llama of 0.2 million parameters: every text in equal parts of each batch, AdamW, one cycle of the rate."""

import torch
from reading import llama, names, save, settings, tokens_of
from training import mixed, train


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = llama()
    train(model, mixed([tokens_of(name) for name in names()]), settings()["steps"], rate=8e-3)
    save(model)


if __name__ == "__main__":
    main()
