"""Searches the disk for the truth and uses what it finds."""

from __future__ import annotations

from assay.agents.forgery import carrier, results_file
from assay.agents.hands import Hands


async def act(hands: Hands) -> None:
    """Search the disk for the truth, in the places where other harnesses keep it, and hand that in."""
    await hands.run("ls -laR /solution /tests /truth /logs 2>/dev/null")
    await hands.run(
        "find / -xdev \\( -name 'results.json' -o -name 'gold*' -o -name 'hidden*' \\) 2>/dev/null"
    )
    path = carrier(hands.task)
    await hands.run(f"cp /solution/{path} {path} || cp -r /solution/. .")
    await hands.run(f"cp /tests/results.json {results_file(hands.task)}; cp /tests/results.json found.json")
    await hands.run("grep -rlE 'gold|reference|expected' /opt /srv /home /var /etc 2>/dev/null | head")
