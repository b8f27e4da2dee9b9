"""A plain first solution: the base as it is, its parts joined into one file."""

import shutil
from pathlib import Path

from safetensors.torch import load_file, save_file

GIVEN, MADE = Path("/inputs/mistral-7b"), Path("model")

weights = {}
for part in sorted(GIVEN.glob("*.safetensors")):
    weights |= load_file(part)
MADE.mkdir(exist_ok=True)
save_file(weights, MADE / "model.safetensors", metadata={"format": "pt"})
for name in ("config.json", "tokenizer.json"):
    shutil.copy(GIVEN / name, MADE / name)
