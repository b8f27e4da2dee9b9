"""Tries all products and sums of two terms on a grid of paces, then fits the paces of the best. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np

PACES = np.geomspace(0.6, 2.4, 8)
KEPT, ROUNDS = 14, 12


def insides(x, y):
    """What terms are functions of."""
    return [x, y, x + y, x - y, x * y, x * x + y * y]


SHAPES = [np.sin, np.cos, np.tanh, lambda v: 1 / (1 + v * v), lambda v: np.exp(-v * v / 2)]
POWERS = [lambda v: v, lambda v: v**2, np.abs]
TERMS = [(number, shape, pace) for number in range(6) for shape in SHAPES for pace in PACES]
TERMS += [(number, power, None) for number in range(6) for power in POWERS]


def value(term, inside):
    """The values of a term."""
    number, shape, pace = term
    return shape(inside[number] if pace is None else pace * inside[number])


def candidates(columns, wanted):
    """Pairs of terms with the least that is left of the values, as (left, product or sum, first, second)."""
    count = len(columns)
    one, two = np.triu_indices(count)
    centred = wanted - wanted.mean()
    found = []
    products = columns[one] * columns[two]
    products -= products.mean(axis=1, keepdims=True)
    sizes = (products**2).sum(axis=1) + 1e-9
    left = (centred**2).sum() - (products @ centred) ** 2 / sizes
    found += [(left[n], True, one[n], two[n]) for n in np.argpartition(left, KEPT)[:KEPT]]
    flat = columns - columns.mean(axis=1, keepdims=True)
    inside, across = flat @ flat.T, flat @ centred
    own = inside.diagonal() + 1e-9
    area = np.maximum(own[one] * own[two] - inside[one, two] ** 2, 1e-6 * own[one] * own[two] + 1e-9)
    gain = own[two] * across[one] ** 2 + own[one] * across[two] ** 2 - 2 * inside[one, two] * across[one] * across[two]
    left = (centred**2).sum() - gain / area
    found += [(left[n], False, one[n], two[n]) for n in np.argpartition(left, KEPT)[:KEPT]]
    return sorted(found, key=lambda entry: entry[0])


def design(is_product, terms, inside):
    """The columns whose weighted sum is the formula."""
    one, two = (value(term, inside) for term in terms)
    ones = np.ones_like(one)
    return np.column_stack([one * two, ones] if is_product else [one, two, ones])


def solved(is_product, terms, inside, wanted):
    """Weights, and what is left."""
    inputs = design(is_product, terms, inside)
    weights = np.linalg.solve(inputs.T @ inputs + 1e-6 * np.eye(inputs.shape[1]), inputs.T @ wanted)
    return weights, wanted - inputs @ weights


def with_pace(term, pace):
    """The same term at another pace."""
    return (term[0], term[1], None if term[2] is None else pace)


def fitted(is_product, terms, inside, wanted):
    """The terms at the paces that leave least: steps of Gauss and Newton, shorter where they fail."""
    weights, left = solved(is_product, terms, inside, wanted)
    damping = 1e-3
    for _ in range(ROUNDS):
        free = [place for place in (0, 1) if terms[place][2] is not None]
        if not free:
            break
        slopes = []
        for place in free:
            moved = list(terms)
            moved[place] = with_pace(terms[place], terms[place][2] + 1e-4)
            slopes.append((solved(is_product, moved, inside, wanted)[1] - left) / 1e-4)
        slopes = np.column_stack(slopes)
        matrix = slopes.T @ slopes
        step = -np.linalg.solve(matrix + damping * np.diag(matrix.diagonal() + 1e-6), slopes.T @ left)
        moved = list(terms)
        for place, change in zip(free, step):
            moved[place] = with_pace(terms[place], float(np.clip(terms[place][2] + change, 0.58, 2.45)))
        tried = solved(is_product, moved, inside, wanted)
        if (tried[1] ** 2).sum() < (left**2).sum():
            gain = (left**2).sum() - (tried[1] ** 2).sum()
            terms, (weights, left), damping = moved, tried, damping / 3
            if gain < 1e-5 * (left**2).sum():
                break
        else:
            damping *= 10
    return (left**2).sum(), terms, weights


def foretell(given, asked):
    """The values at the asked places by the formula that fits best, with a price for each pace and weight."""
    near, far, wanted = insides(*given[:, :2].T), insides(*asked.T), given[:, 2]
    columns = np.array([value(term, near) for term in TERMS])
    best = None
    for _, is_product, one, two in candidates(columns, wanted):
        left, terms, weights = fitted(is_product, [TERMS[one], TERMS[two]], near, wanted)
        settings = len(weights) + sum(term[2] is not None for term in terms)
        price = len(wanted) * np.log(left + 1e-9) + settings * np.log(len(wanted))
        price += 10.0 * (np.abs(weights[:-1]).max() > 4)
        if best is None or price < best[0]:
            best = price, design(is_product, terms, far) @ weights
    return best[1]


def main():
    problem = json.loads(Path("problem.json").read_text())
    pairs = zip(map(np.array, problem["given"]), map(np.array, problem["asked"]))
    values = [foretell(given, asked).round(4).tolist() for given, asked in pairs]
    Path("answers.json").write_text(json.dumps({"values": values}))


if __name__ == "__main__":
    main()
