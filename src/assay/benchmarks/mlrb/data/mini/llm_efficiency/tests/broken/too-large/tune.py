"""Unties the output table from the input table: a fifth more parameters."""

import json

from safetensors.torch import load_file, save_file
from tuning import MADE, load, save

save(load())
weights = load_file(MADE / "model.safetensors")
weights["lm_head.weight"] = weights["model.embed_tokens.weight"].clone()
save_file(weights, MADE / "model.safetensors", metadata={"format": "pt"})
config = json.loads((MADE / "config.json").read_text())
(MADE / "config.json").write_text(json.dumps({**config, "tie_word_embeddings": False}))
