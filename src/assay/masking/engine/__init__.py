"""Masking: functions taken out of Python source and stubs put in, byte-exact elsewhere and restorable.

Pure functions over bytes. What it does not cover: functions made without `def`, notebooks (other than
`mask_file`, which empties a file of any kind), and syntax newer than the running Python.
"""

from __future__ import annotations

from assay.errors import MaskError, Unparsable
from assay.masking.engine.functions import Function, find_functions
from assay.masking.engine.leaks import Leak, find_leaks, scrub
from assay.masking.engine.masked_source import Masked, Piece, restore
from assay.masking.engine.removal import mask, mask_file

__all__ = [
    "Function",
    "Leak",
    "MaskError",
    "Masked",
    "Piece",
    "Unparsable",
    "find_functions",
    "find_leaks",
    "mask",
    "mask_file",
    "restore",
    "scrub",
]
