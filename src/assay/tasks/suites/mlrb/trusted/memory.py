"""Peak memory of loading a model and running it once, measured on a process of its own under a hard limit.

What counts is the resident set of the whole process at its highest, the interpreter among it, as the kernel
tells it when the process has ended; the limit on its data makes a model that needs more fail, not swap.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from .verdicts import Rule, met, unmet, verdict

MIB = 2**20
SECONDS = 600
CRAMPED = ("MemoryError", "memory", "alloc")


def check(folder: Path, most_mib: int, tokens: int = 512, dtype: str = "") -> Rule:
    """Whether the model loads and reads so many tokens within the limit; `dtype` empty: as stored."""
    code, peak, said = _measured({"folder": str(folder), "tokens": tokens, "dtype": dtype}, most_mib)
    if code == 0 and peak <= most_mib:
        return met(f"peak {peak:.0f} MiB of {most_mib} MiB, {tokens} tokens read")
    if code == 0 or any(word in said for word in CRAMPED) or code < 0:
        return unmet(f"needs more than {most_mib} MiB: peak {peak:.0f} MiB, exit {code}")
    return unmet(f"did not run: {said[-300:]}")


def check_beyond(folder: Path, most_mib: int, tokens: int = 512) -> Rule:
    """The same without what Python and its libraries need by themselves: with CUDA that is a gigabyte."""
    code, own, said = _measured({"folder": None}, None)
    if code != 0:
        raise RuntimeError(f"the libraries alone do not load: {said[-300:]}")
    found = check(folder, most_mib + round(own), tokens)
    return verdict(found["met"], f"{found['evidence']}, of which {own:.0f} MiB are the libraries'")


def _measured(given: dict[str, object], most_mib: int | None) -> tuple[int, float, str]:
    """How a child ended, its peak in MiB, and what it said."""
    asked = json.dumps({**given, "limit": most_mib and most_mib * MIB})
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.memory", asked],
            cwd=Path(__file__).parents[__name__.count(".")],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
            env={**os.environ, "MALLOC_ARENA_MAX": "2"},
        )  # fmt: skip
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        said = errors.read()[-2000:].decode(errors="replace").strip()
    return child.returncode, usage.ru_maxrss * 1024 / MIB, said


def _run(asked: str) -> None:
    """The child: the limit is set before anything large is imported."""
    given = json.loads(asked)
    if given["limit"]:
        resource.setrlimit(resource.RLIMIT_DATA, (given["limit"], given["limit"]))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    from .models import load_model

    if given["folder"] is None:
        import torch
        import transformers

        assert torch.float16, transformers.LlamaForCausalLM
        return
    model = load_model(Path(given["folder"]), dtype=given["dtype"], device="cpu")
    tokens = [model.prefix] * min(given["tokens"], model.context)
    model.token_loglikelihoods([(tokens[:-1], tokens[-1:])])
    model.generate("The", 4)


if __name__ == "__main__":
    _run(sys.argv[1])
