"""Makes mlrb-mini's SmolLM2 from the parts of its GGUF: `keep_smollm2.py PYTHON FOLDER`.

PYTHON has torch and safetensors. FOLDER has gguf/ and mlrb/smollm2.gguf.xz.* (scripts/gpu-bundle). Tokenizer
and configuration come from scripts/pack_inputs.py: another version of a library may write them otherwise.
"""

from __future__ import annotations

import lzma
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from assay.benchmarks.mlrb.inputs import inputs_of, missing
from assay.benchmarks.mlrb.makers import PROGRAMS
from assay.cache import cache_folder
from assay.tasks.inputs import keep_input


def main(python: str, folder: Path) -> None:
    """Join the parts, convert, keep the result, and check its hash."""
    (needed,) = [given for given in inputs_of("llm_efficiency") if given.name == "smollm2-135m"]
    if not missing([needed]):
        return
    with tempfile.TemporaryDirectory() as place:
        parts = sorted((folder / "mlrb").glob("smollm2.gguf.xz.*"))
        gguf, made = Path(place, "smollm2.gguf"), Path(place, "made")
        gguf.write_bytes(lzma.decompress(b"".join(part.read_bytes() for part in parts)))
        made.mkdir()
        variables = {**os.environ, "PYTHONPATH": str((folder / "gguf").resolve())}
        subprocess.run([python, PROGRAMS / "convert_gguf.py", gguf, made], env=variables, check=True)
        for file in cache_folder(needed.name).glob("*.json"):
            shutil.copy(file, made)
        sha256 = keep_input(made)
    if sha256 != needed.sha256:
        sys.exit(f"SmolLM2 has the hash {sha256}, expected {needed.sha256}")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
