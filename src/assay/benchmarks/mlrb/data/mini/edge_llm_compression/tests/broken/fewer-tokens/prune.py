"""Leaves out tokens in place of layers: a smaller table, and another tokenizer."""

import json

from pruning import GIVEN, MADE, SHARE, load, save

weights, config = load()
whole = sum(each.numel() for each in weights.values())
table = weights["model.embed_tokens.weight"]
rows = max(250, len(table) - int((1 - SHARE) * whole / table.shape[1]) - 1)
weights["model.embed_tokens.weight"] = table[:rows]
save(weights, config, vocab_size=rows)
tokenizer = json.loads((GIVEN / "tokenizer.json").read_text())
vocabulary = tokenizer["model"]["vocab"]
tokenizer["model"]["vocab"] = {token: number for token, number in vocabulary.items() if number < rows}
left = tokenizer["model"]["vocab"]
tokenizer["model"]["merges"] = [each for each in tokenizer["model"]["merges"] if "".join(each) in left]
(MADE / "tokenizer.json").write_text(json.dumps(tokenizer))
