"""Reading the experts, and writing what they were merged into."""

import shutil
from pathlib import Path

from safetensors.torch import load_file, save_file

GIVEN, MADE = Path("/inputs/experts"), Path("model")
EXPERTS = ("news", "plays", "speeches")


def load(name):
    """The weights of `base` or of an expert, by name."""
    return load_file(GIVEN / name / "model.safetensors")


def save(weights):
    """A model folder; all of them have one configuration and one tokenizer."""
    MADE.mkdir(exist_ok=True)
    save_file({name: each.contiguous() for name, each in weights.items()}, MADE / "model.safetensors")
    for name in ("config.json", "tokenizer.json"):
        shutil.copy(GIVEN / "base" / name, MADE / name)
