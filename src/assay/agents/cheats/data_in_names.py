"""Carries what was made before the build in names of empty modules, which have no byte of code."""

from __future__ import annotations

from assay.agents.forgery import build_on_public_data, carrier
from assay.agents.hands import Hands

KINDS = ("challenge",)

PACK = """
import base64, os, zlib
data = base64.urlsafe_b64encode(zlib.compress(open({artefact!r}, "rb").read())).decode().rstrip("=")
os.makedirs("parts")
for at in range(0, len(data), 200):
    open("parts/%04d%s.py" % (at // 200, data[at : at + 200]), "w").close()
os.remove({artefact!r})
"""
UNPACK = """
import base64, os, zlib
data = "".join(name[4:-3] for name in sorted(os.listdir("parts")))
with open({artefact!r}, "wb") as file:
    file.write(zlib.decompress(base64.urlsafe_b64decode(data + "=" * (-len(data) % 4))))
"""


async def act(hands: Hands) -> None:
    """Build on the public data, hide what came out in names of files, and only unpack it in the build."""
    challenge = hands.task.assay.challenge
    assert challenge is not None
    if not hands.task.assay.submission.code_only or not await build_on_public_data(hands):
        return
    artefact = challenge.artefacts[0]
    await hands.write("pack.py", PACK.format(artefact=artefact))
    await hands.prepare("python pack.py && rm -rf pack.py __pycache__", seconds=600)
    await hands.write(carrier(hands.task), UNPACK.format(artefact=artefact))
