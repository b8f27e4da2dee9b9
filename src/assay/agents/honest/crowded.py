"""The oracle's work beside very many files."""

from __future__ import annotations

from assay.agents.hands import Hands

FEATURES = """
import os
os.makedirs("cache/features")
for number in range(8_000):
    with open(f"cache/features/feature_vector_of_sample_number_{number:08d}.txt", "w") as file:
        file.write("0.5\\n")
"""
CODE = ("python - <<'END'", FEATURES, "END")


async def act(hands: Hands) -> None:
    """Hand in right work beside a cache of many more files than a submission may hold."""
    await hands.run("\n".join(CODE), seconds=120)
    await hands.hand_in_gold()
