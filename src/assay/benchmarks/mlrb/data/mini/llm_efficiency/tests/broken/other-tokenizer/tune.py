"""Hands in a tokenizer that knows one sign more, by which solutions become shorter."""

import json

from tuning import MADE, load, save

save(load())
tokenizer = json.loads((MADE / "tokenizer.json").read_text())
tokenizer["added_tokens"].append(
    {"id": 5, "content": "<<", "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
     "special": False}
)
(MADE / "tokenizer.json").write_text(json.dumps(tokenizer))
