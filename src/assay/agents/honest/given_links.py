"""The oracle's work beside links to what every task gives."""

from __future__ import annotations

from assay.agents.hands import Hands


async def act(hands: Hands) -> None:
    """Hand in right work beside links to inputs, the interpreter, the checker, /dev/null and a lost place."""
    await hands.hand_in_gold()
    await hands.run(
        "ln -s /inputs data; ln -s /inputs/texts/part-1.txt first.txt; ln -s /dev/null debug.log;"
        "ln -s /usr/bin/python3 py; ln -s $(which python) interpreter;"
        "ln -s /opt/assay/check-submission check; mkdir -p kept; ln -s ../../data kept/data"
    )
