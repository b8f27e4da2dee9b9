"""All schools together: which curves they have in common, and the jump at the cutoff under each of them.

The curve of a school is a line with a jump and a bent part that is the same, but turned, on both sides of the
cutoff. Four families of bent parts are tried. How often each of them occurs, and how large the jumps are, is
learnt from all schools.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MARGIN = 0.2
SIGNS = np.array([-1.0, 1.0])
PARABOLA_BENDS = np.array([12.0, 14.0, 15.0, 16.0, 17.0, 18.0, 18.5, 19.0, 19.5, 20.0])
SLIGHT_BENDS = np.array([0.0, 0.7, 1.5, 3.0])
WAVE_BENDS = np.array([12.0, 15.0, 17.0, 18.5, 19.3, 20.0])
LOCAL_BENDS = np.array([12.0, 16.0, 18.0, 20.0])
FREQUENCIES = np.concatenate([np.arange(1.4, 8.0, 0.2), np.arange(8.0, 14.1, 0.3)])
PHASES = np.arange(40) * 2 * np.pi / 40
REACHES = np.concatenate([np.arange(0.06, 0.4, 0.02), np.arange(0.4, 0.81, 0.05)])
"""How far from the cutoff a local bend ends."""
LOCAL_FORMS = 6
CELLS = 400
"""Cells of the table of the bends that fall like a bell."""

STEPS = 40
GROUP_BELIEF = 60
"""How many schools the first belief on the share of a family counts for."""
FAINT = 1e-10
"""Curves whose likelihood is lower than this share of the best one are left out."""
STEP = 0.005
JUMPS = np.arange(-1600, 1601) * STEP
SIZES = np.arange(0.1, 5.0, 0.2)
"""Sizes of the jump in the middle of the parts of its law."""
JUMP_STEPS = 300
JUMP_BELIEF = 12

Rows = list[dict[str, str]]
Found = tuple[float, float, float]
Parts = list[np.ndarray]


@dataclass(frozen=True)
class Reading:
    """How well the curves fit a school; the first axis of an array of `fits` is the sign or the phase."""

    fits: Parts
    kept: np.ndarray
    jumps: np.ndarray
    errors: np.ndarray


@dataclass(frozen=True)
class Axis:
    """The law of a number of the curves: the first belief, the schools it counts for, and how even it is."""

    belief: np.ndarray
    strength: float
    rounds: int = 0


def even(values: np.ndarray, less: np.ndarray) -> np.ndarray:
    """Shares that are even over the values, times a factor."""
    shares = np.gradient(values) * less
    return shares / shares.sum()


AXES = [
    [Axis(np.array([1.0] * 9 + [6.0]) / 15, 4)],
    [Axis(np.array([0.85, 0.05, 0.05, 0.05]), 6)],
    [
        Axis(np.array([0.06, 0.06, 0.12, 0.16, 0.2, 0.4]), 4),
        Axis(even(FREQUENCIES, np.where(FREQUENCIES > 13, 0.3, 1.0)), 10, 6),
    ],
    [
        Axis(np.array([0.07, 0.1, 0.2, 0.63]), 3),
        Axis(np.array([0.4, 0.15, 0.15, 0.15, 0.08, 0.07]), 3),
        Axis(even(REACHES, np.where(REACHES > 0.5, 0.5, 1.0)), 10, 2),
    ],
]
"""The laws of the four families: parabolas, slight bends, waves, and bends near the cutoff only."""


def bell_table() -> np.ndarray:
    """Curves whose second derivative falls like a bell, over distances from 0 to 1, by summing it twice."""
    table = np.exp(-0.5 * (np.linspace(0, 1, CELLS + 1)[:, None] / (REACHES / 2)) ** 2)
    for _ in range(2):
        sums = np.cumsum((table[1:] + table[:-1]) / 2, axis=0) / CELLS
        table = np.vstack([np.zeros(len(REACHES)), sums])
    return table


BELLS = bell_table()


def local_curves(distance: np.ndarray) -> np.ndarray:
    """Curves of which the second derivative is 1 at most and fades with the distance, in six forms."""
    far, reach = distance[:, None], REACHES
    inside = np.maximum(reach - far, 0.0)
    step = (inside**2 - reach**2) / 2
    wedge = inside**3 / reach / 6 - reach**2 / 6
    cosine = np.where(far < reach, (reach / np.pi) ** 2 * (np.cos(np.pi * far / reach) + 1), 0.0)
    hump = (step - cosine) / 2 + (reach / np.pi) ** 2
    decay = (reach / 3) ** 2 * (np.exp(-far / (reach / 3)) - 1)
    cell = np.minimum((distance * CELLS).astype(int), CELLS - 1)
    share = (distance * CELLS - cell)[:, None]
    bell = BELLS[cell] * (1 - share) + BELLS[cell + 1] * share
    rate = np.pi / reach
    late = np.where(far < reach, far / rate - np.sin(rate * far) / rate**2, (2 * far - reach) / rate)
    return np.concatenate([step, wedge, hump, decay, bell, late], axis=1)


def bent_curves(distance: np.ndarray) -> np.ndarray:
    """A parabola, the two halves of each wave, and the local curves, in columns."""
    turns = np.outer(distance, FREQUENCIES)
    waves = [np.sin(turns) / FREQUENCIES**2, (np.cos(turns) - 1) / FREQUENCIES**2]
    return np.concatenate([distance[:, None] ** 2 / 2, *waves, local_curves(distance)], axis=1)


def in_families(values: np.ndarray) -> Parts:
    """Numbers that are linear in the curve, for the curves of the four families with a bend of 1."""
    count = len(FREQUENCIES)
    sine, cosine = values[1 : 1 + count], values[1 + count : 1 + 2 * count]
    waves = -(np.cos(PHASES)[:, None] * sine + np.sin(PHASES)[:, None] * cosine)
    return [values[0], values[0], waves[:, None, :], values[1 + 2 * count :].reshape(LOCAL_FORMS, -1)]


def squares_in_families(curves: np.ndarray) -> Parts:
    """The sums of squares of the same curves."""
    count = len(FREQUENCIES)
    squares = (curves**2).sum(axis=0)
    sine, cosine = squares[1 : 1 + count], squares[1 + count : 1 + 2 * count]
    both = (curves[:, 1 : 1 + count] * curves[:, 1 + count : 1 + 2 * count]).sum(axis=0)
    first, second = np.cos(PHASES)[:, None], np.sin(PHASES)[:, None]
    waves = first**2 * sine + second**2 * cosine + 2 * first * second * both
    return [squares[0], squares[0], waves[:, None, :], squares[1 + 2 * count :].reshape(LOCAL_FORMS, -1)]


BENDS = [
    SIGNS[:, None] * PARABOLA_BENDS,
    SIGNS[:, None] * SLIGHT_BENDS,
    WAVE_BENDS[None, :, None],
    (SIGNS[:, None] * LOCAL_BENDS)[:, :, None, None],
]


def read_curves(rows: Rows) -> Reading:
    """The likelihood of every curve, and the jump under it with its standard error."""
    x, y = (np.array([float(row[name]) for row in rows]) for name in ("score", "result"))
    side = np.where(x < 0, -1.0, 1.0)
    lines, triangle = np.linalg.qr(np.column_stack([np.ones(len(x)), x, side]))
    columns = np.column_stack([y, side[:, None] * bent_curves(np.abs(x))])
    fitted = lines.T @ columns
    rests = columns - lines @ fitted
    steps = -2 * fitted[2] / triangle[2, 2]
    own, freedom = float(rests[:, 0] @ rests[:, 0]), len(x) - 3
    crosses, squares = in_families(rests[:, 0] @ rests[:, 1:]), squares_in_families(rests[:, 1:])
    sums, jumps = [], []
    for bend, cross, square, step in zip(BENDS, crosses, squares, in_families(steps[1:]), strict=True):
        sums.append(np.maximum(own - 2 * bend * cross + bend**2 * square, 1e-9))
        jumps.append(steps[0] - bend * step)
    least = min(float(values.min()) for values in sums)
    fits = [np.exp(-freedom / 2 * np.log(values / least)) for values in sums]
    kept = np.flatnonzero(flat(fits) > FAINT)
    errors = 2 / abs(triangle[2, 2]) * np.sqrt(flat(sums)[kept] / (freedom - 2))
    thin = [values.astype(np.float32) for values in fits]
    return Reading(thin, kept, flat(jumps)[kept], errors)


def flat(parts: Parts) -> np.ndarray:
    return np.concatenate([values.ravel() for values in parts])


def smoothed(values: np.ndarray, rounds: int) -> np.ndarray:
    """Neighbours averaged some times, with the same sum."""
    for _ in range(rounds):
        padded = np.pad(values, 1, mode="edge")
        means = padded[:-2] / 4 + padded[1:-1] / 2 + padded[2:] / 4
        values = means * values.sum() / max(float(means.sum()), 1e-300)
    return values


def product(laws: Parts) -> np.ndarray:
    """The shares of all combinations of the numbers of a family."""
    shares = laws[0]
    for law in laws[1:]:
        shares = shares[..., None] * law
    return shares


def learn_shares(readings: list[Reading]) -> Parts:
    """The share of each curve of each family among all schools, by expectation and maximisation."""
    means = [
        np.array([reading.fits[family].mean(axis=0) for reading in readings]) for family in range(len(AXES))
    ]
    laws = [[axis.belief for axis in axes] for axes in AXES]
    groups = np.full(len(AXES), 1 / len(AXES))
    for _ in range(STEPS):
        joint = [group * mean * product(law) for group, mean, law in zip(groups, means, laws, strict=True)]
        totals = sum(values.reshape(len(readings), -1).sum(axis=1) for values in joint)
        counts = [np.tensordot(1 / totals, values, axes=1) for values in joint]
        laws = [learn_axes(count, axes) for count, axes in zip(counts, AXES, strict=True)]
        groups = np.array([count.sum() + GROUP_BELIEF for count in counts])
        groups /= groups.sum()
    return [group * product(law) for group, law in zip(groups, laws, strict=True)]


def learn_axes(count: np.ndarray, axes: list[Axis]) -> Parts:
    """The laws of the numbers of a family, from how many schools have each curve and the first beliefs."""
    laws = []
    for place, axis in enumerate(axes):
        others = tuple(other for other in range(count.ndim) if other != place)
        seen = smoothed(count.sum(axis=others), axis.rounds) + axis.strength * axis.belief
        laws.append(seen / seen.sum())
    return laws


def jump_likelihood(reading: Reading, shares: Parts) -> np.ndarray:
    """How well each jump fits a school, over all curves with their shares."""
    weights = flat([fit * share / len(fit) for fit, share in zip(reading.fits, shares, strict=True)])[
        reading.kept
    ]
    likelihood = np.zeros(len(JUMPS))
    edges = np.quantile(reading.errors, (0.25, 0.5, 0.75))
    classes = np.searchsorted(edges, reading.errors, side="right")
    for one in np.unique(classes):
        weight, jump, error = (values[classes == one] for values in (weights, reading.jumps, reading.errors))
        if weight.sum() <= 1e-6 * weights.sum():
            continue
        common = float(np.sqrt(weight @ error**2 / weight.sum()))
        place = np.clip((jump - JUMPS[0]) / STEP, 0, len(JUMPS) - 2)
        cell = place.astype(int)
        counts = np.bincount(cell, weight * (1 - place + cell), len(JUMPS))
        counts += np.bincount(cell + 1, weight * (place - cell), len(JUMPS))
        reach = min(int(5 * common / STEP) + 1, len(JUMPS) // 2)
        bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) * STEP / common) ** 2)
        likelihood += np.convolve(counts, bell / bell.sum(), "same")
    return likelihood / likelihood.sum()


def learn_jumps(likelihoods: np.ndarray) -> np.ndarray:
    """The law of the jumps: a mixture of bells, alike for both signs."""
    bells = [np.exp(-0.5 * (JUMPS / spread) ** 2) for spread in (0.012, 0.06, 0.15)]
    bells += [np.exp(-0.5 * ((np.abs(JUMPS) - size) / 0.15) ** 2) for size in SIZES]
    parts = np.array([bell / bell.sum() for bell in bells])
    large = np.exp(-0.5 * (SIZES / 1.5) ** 2)
    belief = np.concatenate([[0.05, 0.05, 0.05], 0.85 * large / large.sum()])
    fits, shares = likelihoods @ parts.T, belief
    for _ in range(JUMP_STEPS):
        joint = fits * shares
        seen = (joint / joint.sum(axis=1, keepdims=True)).sum(axis=0)
        seen = np.concatenate([seen[:3], smoothed(seen[3:], 2)]) + JUMP_BELIEF * belief
        shares = seen / seen.sum()
    return shares @ parts


def interval(weights: np.ndarray) -> Found:
    """Mean and 95% interval of the jump, from weights on its grid."""
    shares = weights / weights.sum()
    low, high = np.interp((0.025, 0.975), np.cumsum(shares), JUMPS + STEP / 2)
    return float(np.clip(shares @ JUMPS, low, high)), float(low), float(high)


def analyse_all(studies: dict[str, Rows]) -> dict[str, Found]:
    readings = [read_curves(rows) for rows in studies.values()]
    shares = learn_shares(readings)
    likelihoods = np.array([jump_likelihood(reading, shares) for reading in readings])
    law = learn_jumps(likelihoods)
    return {name: interval(likelihood * law) for name, likelihood in zip(studies, likelihoods, strict=True)}
