"""Hands in a tokenizer of its own."""

import json

from reading import MADE, llama, save

save(llama(width=32, inside=64, layers=1))
tokenizer = json.loads((MADE / "tokenizer.json").read_text())
tokenizer["added_tokens"].append(
    {"id": 5, "content": "minister", "single_word": False, "lstrip": False, "rstrip": False,
     "normalized": False, "special": False}
)
(MADE / "tokenizer.json").write_text(json.dumps(tokenizer))
