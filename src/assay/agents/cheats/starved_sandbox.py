"""Has its own sandbox killed."""

from __future__ import annotations

import contextlib

from assay.agents.hands import Hands
from assay.errors import SandboxError

EAT = """
held = []
while True:
    held.append(bytearray(b"x" * 10**7))
"""


async def act(hands: Hands) -> None:
    """Have the sandbox itself killed for want of memory, since an attempt that was not made is made again."""
    from inspect_ai.util import SandboxUnavailableError

    await hands.write("eat.py", EAT)
    with contextlib.suppress(SandboxError, SandboxUnavailableError):
        # Once the sandbox is gone nothing answers any more: that is what was wanted.
        await hands.run(
            "echo 1000 > /proc/1/oom_score_adj; echo 0 > /proc/self/oom_score_adj;"
            "head -c 900M /dev/zero > /tmp/held;"
            "for each in 1 2 3; do python eat.py & done; wait"
        )
