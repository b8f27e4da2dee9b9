"""Makes new variants of tasks that have a program `vary.py`: other constants, other data, other answers.

What it does not cover: whether a variant is as hard as its task, which is up to `vary.py`, and whether it is
sound, which `assay certify` proves.
"""

from assay.varying.sources import VariableFolder, find_folders
from assay.varying.variants import VariedTask, vary_folder

__all__ = ["VariableFolder", "VariedTask", "find_folders", "vary_folder"]
