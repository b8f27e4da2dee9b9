"""Masking: replaces functions of Python source by stubs; every other byte stays, and masks can be undone.

Pure functions over bytes. What it does not cover: functions without `def`, notebooks (except
`mask_file`, which empties a file of any kind), and syntax newer than the running Python.
"""

from __future__ import annotations

from assay.errors import MaskError, Unparsable
from assay.masking.engine.functions import Function, find_functions
from assay.masking.engine.leaks import Leak, find_leaks, scrub
from assay.masking.engine.masked_source import MaskedSource, Piece, restore
from assay.masking.engine.removal import mask, mask_file

__all__ = [
    "Function",
    "Leak",
    "MaskError",
    "MaskedSource",
    "Piece",
    "Unparsable",
    "find_functions",
    "find_leaks",
    "mask",
    "mask_file",
    "restore",
    "scrub",
]
