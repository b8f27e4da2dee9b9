"""The plain first solution: keeps the units with the largest weights. Run: `python prune.py`."""

import numpy as np

INPUTS, FIRST, SECOND = 64, 56, 44


def largest(weights, number):
    """The columns with the largest norm, in their own order."""
    return np.sort(np.argsort(-np.linalg.norm(weights, axis=0))[:number])


def main():
    base = np.load("base.npz")
    inputs = np.arange(INPUTS)
    units1, units2 = largest(base["weights1"], FIRST), largest(base["weights2"], SECOND)
    np.savez(
        "pruned.npz",
        inputs=inputs,
        units1=units1,
        units2=units2,
        weights1=base["weights1"][:, units1],
        biases1=base["biases1"][units1],
        weights2=base["weights2"][np.ix_(units1, units2)],
        biases2=base["biases2"][units2],
        weights3=base["weights3"][units2],
        biases3=base["biases3"],
    )


if __name__ == "__main__":
    main()
