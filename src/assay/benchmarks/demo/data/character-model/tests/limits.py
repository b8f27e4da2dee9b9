"""What a model may hold, for the evaluator and for the program that prepares it to be served."""

import re
from pathlib import Path

import numpy as np
from arrays import Refused, read_arrays

PARAMETERS = 8_400
FILE_BYTES = 4 * PARAMETERS + 8_000
"""Room for the parameters and the frame around them, none for data beside the arrays."""
UNPACKED_BYTES = 2_000_000
ARRAYS = 32
NOISE = 0.02
"""The noise that is added to each number of an array before it is served, as a share of its root mean square."""


def read_model(path: Path) -> dict[str, np.ndarray]:
    """The arrays: finite float16 or float32, under short plain names. Noise leaves the bits of a NaN as they are."""
    arrays = read_arrays(path, UNPACKED_BYTES)
    if len(arrays) > ARRAYS:
        raise Refused(f"{path.name} holds {len(arrays)} arrays, at most {ARRAYS} may be")
    for name, array in arrays.items():
        if not re.fullmatch("[A-Za-z0-9_]{1,20}", name):
            raise Refused(f"{name[:40]!r} is not a name of at most 20 letters, digits and underscores")
        if array.dtype not in (np.float16, np.float32) or array.size == 0:
            raise Refused(f"{name!r} holds {array.size} numbers of {array.dtype}, expected float16 or float32")
        if not np.isfinite(array).all():
            raise Refused(f"{name!r} holds numbers that are not finite")
    return arrays
