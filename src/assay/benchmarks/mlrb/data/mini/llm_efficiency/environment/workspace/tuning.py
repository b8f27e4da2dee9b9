"""Reading the given model and problems, one step of training, and writing the model."""

import json
import shutil
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from transformers import LlamaForCausalLM

GIVEN, MADE = Path("/inputs/smollm2-135m"), Path("model")
PROBLEMS = Path("/inputs/gsm8k-train/train.jsonl")
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
NOT_SCORED = -100

tokenizer = Tokenizer.from_file(str(GIVEN / "tokenizer.json"))


def load():
    """The given model, in FP32."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    return LlamaForCausalLM.from_pretrained(GIVEN, dtype=torch.float32).to(DEVICE)


def problems():
    """Every given problem: `question` and `answer`."""
    return [json.loads(line) for line in PROBLEMS.read_text("utf-8").splitlines()]


def batch(chosen):
    """Tokens, and beside them those that are scored: the solutions."""
    pairs = [(tokenizer.encode(f"Question: {each['question']}\nAnswer:").ids, tokenizer.encode(f" {each['answer']}").ids)
             for each in chosen]
    longest = max(len(before) + len(after) for before, after in pairs)
    tokens = torch.zeros(len(pairs), longest, dtype=torch.long)
    scored = torch.full(tokens.shape, NOT_SCORED)
    for row, (before, after) in enumerate(pairs):
        end = len(before) + len(after)
        tokens[row, :end] = torch.tensor(before + after)
        scored[row, len(before) : end] = torch.tensor(after)
    return tokens.to(DEVICE), scored.to(DEVICE)


def loss(model, chosen):
    """Nats for each token of the solutions; the vocabulary is large, so logits are made where they are scored."""
    tokens, scored = batch(chosen)
    places = scored[:, 1:] != NOT_SCORED
    hidden = model.model(input_ids=tokens, use_cache=False).last_hidden_state[:, :-1][places]
    return torch.nn.functional.cross_entropy(model.lm_head(hidden), scored[:, 1:][places])


def save(model, dtype=torch.float16):
    """A model folder; the output table is the input table."""
    MADE.mkdir(exist_ok=True)
    weights = {name: each.to("cpu", dtype).contiguous() for name, each in model.state_dict().items()}
    weights.pop("lm_head.weight", None)
    save_file(weights, MADE / "model.safetensors", metadata={"format": "pt"})
    for name in ("config.json", "tokenizer.json"):
        shutil.copy(GIVEN / name, MADE / name)
