"""Measures the peak memory of loading a model and running it once, in its own process with a hard limit.

The measure is the highest resident set that the kernel reports, minus what Python and its libraries used
before: their size differs between builds of torch, and it is not part of the model. Because of the limit on
the process's data, a model that needs more memory fails and does not swap.
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
"""One thread: each thread adds a stack and an arena, and the number of threads differs between machines."""


def check(folder: Path, most_mib: int, tokens: int = 512, dtype: str = "") -> Rule:
    """Check that the model loads and reads `tokens` tokens within the limit; no `dtype` means as stored."""
    request = json.dumps({"folder": str(folder.resolve()), "tokens": tokens, "dtype": dtype, "mib": most_mib})
    try:
        child = subprocess.run(
            [sys.executable, "-m", f"{__package__}.memory", request],
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


def status_mib(name: str) -> float:
    """Read one entry of this process's status, in MiB."""
    match = re.search(rf"^{name}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert match is not None
    return int(match.group(1)) * 1024 / MIB


def _run(text: str) -> None:
    """Run the child process: load the libraries, set the limit, then load and run the model."""
    request = json.loads(text)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import torch
    import transformers

    from .contract import ARCHITECTURES
    from .models import load_model

    torch.zeros(8, 8) @ torch.zeros(8, 8)
    for _, model_class in ARCHITECTURES.values():
        getattr(transformers, model_class)
    before = status_mib("VmHWM")
    limit = int((status_mib("VmData") + request["mib"]) * MIB)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    model = load_model(Path(request["folder"]), dtype=request["dtype"], device="cpu")
    tokens = [model.prefix] * min(request["tokens"], model.context)
    model.token_loglikelihoods([(tokens[:-1], tokens[-1:])])
    model.generate("The", 4)
    print(json.dumps([before, status_mib("VmHWM")]))


if __name__ == "__main__":
    _run(sys.argv[1])
