"""Evidence as a certificate has it: short, and without the places of the machine that made it."""

from __future__ import annotations

import sys
from pathlib import Path

from assay.workspace import cache_folder

LONGEST = 400


def nowhere(evidence: str) -> str:
    """Evidence without the places of the machine that made it: a certificate travels."""
    for place, name in ((sys.base_prefix, "<python>"), (str(cache_folder("environments")), "<environments>")):
        evidence = evidence.replace(place, name)
    return evidence.replace(str(Path.home()) + "/", "~/")[:LONGEST]
