"""The oracle's work, with the slips of a model in between."""

from __future__ import annotations

import contextlib

from assay.agents.hands import Hands


async def act(hands: Hands) -> None:
    """Hand in right work after requests that no system can carry out, as a model may send by accident."""
    from inspect_ai.tool import ToolError

    await hands.run("printf 'a\0b'")
    await hands.run("echo half of a character: \ud83d")
    await hands.run("cat <<'END' > notes.txt\n" + "a very long text\n" * 20_000 + "END")
    for path, text in (("notes\0.txt", "text"), ("notes.txt", "half: \ud83d"), ("n" * 300, "text")):
        with contextlib.suppress(ToolError):
            await hands.write(path, text)
    await hands.hand_in_gold()
