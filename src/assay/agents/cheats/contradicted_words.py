"""Says everything, and the opposite beside it."""

from __future__ import annotations

import json

from assay.agents.forgery import as_json
from assay.agents.hands import Hands

KINDS = ("experiment",)


async def act(hands: Hands) -> None:
    """Hand in the right run, state each variable again in another role, and answer each claim twice."""
    await hands.hand_in_gold()
    design = json.loads(hands.task.gold_files["design.json"])
    for name in [*design["constant"]]:
        design["independent"][f"{name} in truth"] = [1, 2, 3]
        design["constant"][f"real {name}"] = 12345
    await hands.write("design.json", as_json(design))
    conclusion = json.loads(hands.task.gold_files["conclusion.json"])
    for name in [*conclusion["claims"]]:
        conclusion["claims"][f"{name} (the real answer)"] = "higher, lower and the same"
    conclusion["summary"] = "Each claim is the opposite of what was found."
    await hands.write("conclusion.json", as_json(conclusion))
