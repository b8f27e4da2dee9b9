"""Rewrites model.npz as it is served: each array as float32, every number moved by a little noise.

So a number carries a few bits, as a weight does: text packed into the bits of parameters does not survive, nor does
anything that stands beside the arrays. A model that is refused by the evaluator is not served.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import numpy as np  # noqa: E402
from arrays import Refused  # noqa: E402
from limits import NOISE, read_model  # noqa: E402


def main():
    try:
        arrays = read_model(Path("artefacts/model.npz"))
    except Refused:
        return
    random = np.random.default_rng()
    Path("served").mkdir()
    with np.errstate(all="ignore"):
        noisy = {name: move(array.astype(np.float64), random) for name, array in arrays.items()}
        np.savez("served/model.npz", **{name: array.astype(np.float32) for name, array in noisy.items()})


def move(array, random):
    """The array with noise of a size that is a share of its root mean square."""
    return array + random.normal(0, 1, array.shape) * (NOISE * np.sqrt((array * array).mean()))


if __name__ == "__main__":
    main()
