"""Does the work for one seed and one set of data only."""

from __future__ import annotations

from assay.agents.forgery import carrier
from assay.agents.hands import Hands
from assay.tasks.kinds import MASKED

KINDS = ("masked", "experiment")

FORGETTING = "import os\nos.environ.pop('ASSAY_SEED', None)\nos.environ.pop('ASSAY_DATA', None)\n"


async def act(hands: Hands) -> None:
    """Hand in right code, changed to forget any other seed or data that the run is given."""
    await hands.hand_in_gold()
    if hands.task.kind == MASKED:
        path = carrier(hands.task)
        await hands.write(path, f"{hands.task.gold_files[path].decode()}\n\n{FORGETTING}")
        return
    script = hands.task.gold_files["reproduce.sh"].decode()
    first, _, remainder = script.partition("\n") if script.startswith("#!") else ("", "", script)
    await hands.write("reproduce.sh", f"{first}\nunset ASSAY_SEED ASSAY_DATA\n{remainder}")
