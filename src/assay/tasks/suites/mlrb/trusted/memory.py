"""Peak memory of loading a model and running it once, measured on a process of its own under a hard limit.

What counts is the resident set of the whole process at its highest, as the kernel tells it; the limit on its
data makes a model that needs more fail, not swap. The interpreter counts too, unless `beyond` is asked for:
with CUDA the libraries alone take a gigabyte.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from .contract import Limits, check_folder
from .verdicts import Rule, met, unmet

MIB = 2**20
SECONDS = 600
CRAMPED = ("MemoryError", "memory", "alloc", "failed to map segment")
SLACK = 256
"""MiB that threads and allocators reserve without using them; only `beyond` needs to allow for it."""


def check(folder: Path, most_mib: int, tokens: int = 512, dtype: str = "", beyond: bool = False) -> Rule:
    """Whether the model loads and reads so many tokens within the limit; `dtype` empty: as stored.

    `beyond` leaves out what the process takes when its libraries are loaded and the model is not.
    """
    asked = {"folder": str(folder.resolve()), "tokens": tokens, "dtype": dtype, "beyond": beyond,
             "limit": most_mib * MIB}  # fmt: skip
    code, told, said = _ended(asked)
    if code == 0:
        own, peak = (told["own"] if beyond else 0.0), told["peak"]
        libraries = f", beyond {own:.0f} MiB of the libraries" if beyond else ""
        if peak - own <= most_mib:
            return met(f"peak {peak - own:.0f} MiB of {most_mib} MiB, {tokens} tokens read{libraries}")
        return unmet(f"needs more than {most_mib} MiB: peak {peak - own:.0f} MiB{libraries}")
    if code < 0 or any(word in said for word in CRAMPED):
        return unmet(f"needs more than {most_mib} MiB, exit {code}")
    return unmet(f"did not run: {said[-300:]}")


def _ended(asked: dict[str, object]) -> tuple[int, dict[str, float], str]:
    """How a child ended, what it measured, and what it complained of."""
    with tempfile.TemporaryFile() as errors:
        done = subprocess.run(
            [sys.executable, "-m", f"{__package__}.memory", json.dumps(asked)],
            cwd=Path(__file__).parents[__name__.count(".")],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, check=False,
            env={**os.environ, "MALLOC_ARENA_MAX": "2"},
        )  # fmt: skip
        errors.seek(0)
        # Without the lines of a traceback that name this very module.
        lines = errors.read()[-4000:].decode(errors="replace").strip().splitlines()
    told = json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else {}
    return done.returncode, told, "\n".join(line for line in lines if not line.startswith("  "))


def _status(field: str) -> float:
    """A size of this process in MiB. Not getrusage: there a parent's peak outlives the start of a child."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) / 1024 for line in lines if line.startswith(f"{field}:"))


def _run(asked: str) -> None:
    """The child: the limit is set before anything large is imported, or right after it."""
    given = json.loads(asked)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    if not given["beyond"]:
        resource.setrlimit(resource.RLIMIT_DATA, (given["limit"], given["limit"]))
    check_folder(Path(given["folder"]), Limits())
    import torch
    import transformers

    from .models import load_model

    # Touched so that what is imported late is here before the model is.
    assert transformers.PreTrainedModel, torch.nn
    own = _status("VmHWM")
    if given["beyond"]:
        limit = given["limit"] + int(_status("VmData") + SLACK + 10 * (os.cpu_count() or 1)) * MIB
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    model = load_model(Path(given["folder"]), dtype=given["dtype"], device="cpu")
    tokens = [model.prefix] * min(given["tokens"], model.context)
    model.token_loglikelihoods([(tokens[:-1], tokens[-1:])])
    model.generate("The", 4)
    print(json.dumps({"own": own, "peak": _status("VmHWM")}))


if __name__ == "__main__":
    _run(sys.argv[1])
