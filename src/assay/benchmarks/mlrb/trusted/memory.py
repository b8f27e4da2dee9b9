"""Peak memory of loading a model and running it once, measured on a process of its own under a hard limit.

What counts is the resident set at its highest, as the kernel tells it, beyond what Python and its libraries
held before: those differ from one build of torch to the next, and are not the model's. The limit on the
process's data makes a model that needs more fail, not swap.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

from .verdicts import Rule, met, unmet

MIB = 2**20
SECONDS = 600
CRAMPED = re.compile(r"MemoryError|allocat\w+ .*memory|memory allocat|not enough memory|bad_alloc|new thread")
PLAIN = {"MALLOC_ARENA_MAX": "2", "OMP_NUM_THREADS": "1", "HF_DEACTIVATE_ASYNC_LOAD": "1"}
"""One thread: each would count with its own stack and arena, and machines have more of them or fewer."""


def check(folder: Path, most_mib: int, tokens: int = 512, dtype: str = "") -> Rule:
    """Whether the model loads and reads so many tokens within the limit; `dtype` empty: as stored."""
    asked = json.dumps({"folder": str(folder.resolve()), "tokens": tokens, "dtype": dtype, "mib": most_mib})
    try:
        child = subprocess.run(
            [sys.executable, "-m", f"{__package__}.memory", asked],
            cwd=Path(__file__).parents[__name__.count(".")],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            env={**os.environ, **PLAIN}, timeout=SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return unmet(f"did not end within {SECONDS} seconds")
    if child.returncode == 0:
        before, peak = json.loads(child.stdout.splitlines()[-1])
        evidence = f"{peak - before:.0f} MiB of {most_mib} MiB, {tokens} tokens read, beside {before:.0f} MiB"
        return (met if peak - before <= most_mib else unmet)(f"peak {evidence} of Python and its libraries")
    if CRAMPED.search(child.stderr) or child.returncode < 0:
        return unmet(f"needs more than {most_mib} MiB: exit {child.returncode}")
    return unmet(f"did not run: {child.stderr.strip()[-300:]}")


def held(name: str) -> float:
    """A line of the process's own status, in MiB."""
    found = re.search(rf"^{name}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found.group(1)) * 1024 / MIB


def _run(asked: str) -> None:
    """The child: libraries first, then the limit, then the model."""
    given = json.loads(asked)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import torch
    import transformers

    from .contract import ARCHITECTURES
    from .models import load_model

    torch.zeros(8, 8) @ torch.zeros(8, 8)
    for _, model_class in ARCHITECTURES.values():
        getattr(transformers, model_class)
    before = held("VmHWM")
    limit = int((held("VmData") + given["mib"]) * MIB)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    model = load_model(Path(given["folder"]), dtype=given["dtype"], device="cpu")
    tokens = [model.prefix] * min(given["tokens"], model.context)
    model.token_loglikelihoods([(tokens[:-1], tokens[-1:])])
    model.generate("The", 4)
    print(json.dumps([before, held("VmHWM")]))


if __name__ == "__main__":
    _run(sys.argv[1])
