"""A plain first solution: a small llama, one text after the other, a constant rate."""

import torch
from reading import llama, names, save, settings, tokens_of, windows


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = llama()
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
    steps = settings()["first_steps"] // len(names())
    for name in names():
        for _, batch in zip(range(steps), windows(tokens_of(name, 200_000), 8, 64, 0)):
            model(input_ids=batch, labels=batch, use_cache=False).loss.backward()
            optimiser.step()
            optimiser.zero_grad()
    save(model)


if __name__ == "__main__":
    main()
