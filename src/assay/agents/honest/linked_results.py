"""Results in a folder for each run, with links to the newest."""

from __future__ import annotations

import shlex

from assay.agents.hands import Hands

KINDS = ("experiment",)
REPRODUCE = """#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")"
bash solve.sh 2>&1 | tee "protokoll über alles.log"
mkdir -p "runs/erster Lauf" && ln -sfn "erster Lauf" runs/latest
for file in {files}; do
    mv "$file" runs/latest/ && ln -s "runs/latest/$file" "$file"
done
"""


async def act(hands: Hands) -> None:
    """Leave the results of the right run in a folder for each run, behind links where they are asked for."""
    await hands.hand_in_gold(but="reproduce.sh")
    await hands.write("solve.sh", hands.task.gold_files["reproduce.sh"])
    run = hands.task.assay.run
    files = shlex.join(run.written) if run is not None else ""
    await hands.write("reproduce.sh", REPRODUCE.format(files=files))
    await hands.run("bash reproduce.sh")
