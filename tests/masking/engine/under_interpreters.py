"""Masks sources, read from standard input as JSON, and prints the digest of each mask.

It runs under interpreters that have none of Assay's dependencies: masking needs only the standard library,
so the package `assay.tasks`, whose front needs more, is entered without its front.
"""

from __future__ import annotations

import hashlib
import json
import sys
from base64 import b64decode
from pathlib import Path
from types import ModuleType

tasks = ModuleType("assay.tasks")
tasks.__path__ = [str(Path(sys.argv[1]) / "assay" / "tasks")]
sys.path.insert(0, sys.argv[1])
sys.modules["assay.tasks"] = tasks

from assay.masking.engine import find_functions, mask, scrub  # noqa: E402


def digest(source: bytes, names: list[str] | None) -> str:
    """SHA-256 of where functions are, of the mask, and of the source without prose that gives it away."""
    functions = find_functions(source)
    if names is None:
        names = apart(source)
    masked = mask(source, names)
    scrubbed = scrub(masked.source, masked.bodies())
    whole = (repr(functions), masked.source, scrubbed.source)
    return hashlib.sha256(repr(whole).encode()).hexdigest()


def apart(source: bytes) -> list[str]:
    """Every function that lies in no other one."""
    names: list[str] = []
    end = 0
    for function in find_functions(source):
        if function.start >= end:
            names.append(function.name)
            end = function.end
    return names


print(json.dumps([digest(b64decode(source), names) for source, names in json.load(sys.stdin)]))
