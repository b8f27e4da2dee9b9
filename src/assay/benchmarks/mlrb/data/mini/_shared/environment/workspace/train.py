"""A plain first solution: a small llama, one text after the other, a constant rate."""

import torch
from reading import DEVICE, END, START, VOCABULARY, names, save, settings, tokens_of, windows
from transformers import LlamaConfig, LlamaForCausalLM


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    config = LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=2,
        max_position_embeddings=128, tie_word_embeddings=True, bos_token_id=START, eos_token_id=END,
    )
    model = LlamaForCausalLM(config).to(DEVICE)
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
