"""Merges, and turns the positions faster than the experts knew them."""

import json

from experts import EXPERTS, MADE, load, save

experts = [load(name) for name in EXPERTS]
save({name: sum(expert[name] for expert in experts) / len(experts) for name in experts[0]})
config = json.loads((MADE / "config.json").read_text())
config["rope_parameters"] = {**config.get("rope_parameters", {}), "rope_theta": 5000.0, "rope_type": "default"}
(MADE / "config.json").write_text(json.dumps(config))
