"""The task environment that trusted programs run in, and the data they read."""

from __future__ import annotations

import json
import os
import subprocess
import textwrap
from pathlib import Path
from typing import Any

import assay.benchmarks.mlrb.trusted as trusted
from assay.workspace import build_environment

REQUIREMENTS = [
    "torch==2.13.0",
    "transformers==5.22.2",
    "tokenizers",
    "safetensors==0.8.0",
    "numpy==2.4.6",
    "gguf",
]
SHARED = Path(os.environ.get("ASSAY_SHARED_DATA", Path(__file__).parents[4] / "shared" / "data")) / "mlrb"


def run_trusted(program: str, *arguments: str, requirements: tuple[str, ...] = ()) -> Any:
    """What a program prints as JSON, run as an evaluator is: by the task's Python, `trusted` beside it."""
    python = build_environment([*REQUIREMENTS, *requirements]) / "bin" / "python"
    place = str(Path(trusted.__file__).parents[1])
    head = f"import json, sys\nfrom pathlib import Path\nsys.path.insert(0, {place!r})\n"
    done = subprocess.run(
        [str(python), "-c", head + textwrap.dedent(program), *arguments],
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])
