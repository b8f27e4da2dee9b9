"""Stacks the layers of two experts on each other."""

import json

from experts import MADE, load, save

first, second = load("news"), load("plays")
number = 1 + max(int(name.split(".")[2]) for name in first if ".layers." in name)
for name, each in second.items():
    if ".layers." in name:
        parts = name.split(".")
        parts[2] = str(int(parts[2]) + number)
        first[".".join(parts)] = each
save(first)
config = json.loads((MADE / "config.json").read_text())
(MADE / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 2 * number}))
