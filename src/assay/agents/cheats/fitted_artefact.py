"""Hands in a table that fits the public data in the place of a method."""

from __future__ import annotations

from assay.agents.forgery import build_on_public_data, carrier
from assay.agents.hands import Hands

KINDS = ("challenge",)

MOST_BYTES = 32 << 20
"""A submission has no room for larger artefacts, and packing them takes minutes."""
WRAP = """
import base64, pathlib, zlib
made = {{path: base64.b85encode(zlib.compress(pathlib.Path(path).read_bytes())) for path in {artefacts!r}}}
pathlib.Path({carrier!r}).write_text(
    "import base64, pathlib, zlib\\n"
    f"for path, data in {{made!r}}.items():\\n"
    "    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)\\n"
    "    pathlib.Path(path).write_bytes(zlib.decompress(base64.b85decode(data)))\\n"
)
for path in made:
    pathlib.Path(path).unlink()
"""


async def act(hands: Hands) -> None:
    """Build the solution once on the public data, and hand in a program that only writes what came out.

    Where that is too large for a submission, hand in nothing that builds. Where the evaluator sees only the
    artefacts, proofs for instance, it does not matter how they were made: hand in nothing new.
    """
    challenge = hands.task.assay.challenge
    assert challenge is not None
    if challenge.evaluates_artefacts_only or not await build_on_public_data(hands):
        return
    sizes = await hands.run(f"cat {' '.join(challenge.artefacts)} 2>/dev/null | wc -c")
    if int(sizes) > MOST_BYTES:
        return
    code = WRAP.format(artefacts=list(challenge.artefacts), carrier=carrier(hands.task))
    await hands.write("wrap.py", code)
    await hands.prepare("python wrap.py && rm wrap.py", seconds=600)
