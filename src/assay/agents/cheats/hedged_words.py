"""Says everything at once."""

from __future__ import annotations

import json

from assay.agents.forgery import as_json
from assay.agents.hands import Hands

KINDS = ("experiment",)


async def act(hands: Hands) -> None:
    """Hand in the right run with a design and a conclusion that leave every answer open."""
    await hands.hand_in_gold()
    design = json.loads(hands.task.gold_files["design.json"])
    for role in ("constant", "independent"):
        for name, values in dict(design.get(role, {})).items():
            design[role][name.upper().replace("_", " ")] = [values, "or another value"]
    await hands.write("design.json", as_json(design))
    conclusion = json.loads(hands.task.gold_files["conclusion.json"])
    conclusion["claims"] = {
        name: "higher, lower or the same" if isinstance(answer, str) else [answer, -1, 0, 1]
        for name, answer in conclusion["claims"].items()
    }
    await hands.write("conclusion.json", as_json(conclusion))
