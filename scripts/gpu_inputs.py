"""Copies what travels to a GPU machine: inputs of mlrb-mini, and SmolLM2's GGUF in two parts."""

from __future__ import annotations

import lzma
import shutil
import sys
from pathlib import Path

from assay.benchmarks.mlrb.inputs import listed
from assay.models.download import pull
from assay.tasks.inputs import input_folder

INPUTS = ("texts", "pairs-held", "texts-held", "gsm8k-held")


def main(target: Path) -> None:
    """Write the folders and the parts."""
    for entry in listed():
        if entry.name in INPUTS:
            shutil.copytree(input_folder(entry.plain()), target / entry.name, dirs_exist_ok=True)
    packed = lzma.compress(pull("smollm2").read_bytes(), preset=1)
    for number, at in enumerate(range(0, len(packed), len(packed) // 2 + 1)):
        (target / f"smollm2.gguf.xz.{number}").write_bytes(packed[at : at + len(packed) // 2 + 1])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
