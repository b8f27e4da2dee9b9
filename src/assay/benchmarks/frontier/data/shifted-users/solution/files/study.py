"""All studies together: an effect with a step along a mix of two columns, averaged over the target.

The place of the step, the noise, the usual slopes and the law of the effects below and above the step are
learnt from all studies of the folder by their common likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

MARGIN = 0.3
ROUNDS = 4
REPEATS = 25
SHAPE_STEPS = np.array([0.15, 0.15, 0.25, 0.25])
"""First steps of the search for the turn, the cut, and the logs of the width and of the noise's floor."""
WIDEST = np.array([[-3.0, -3.0, np.log(0.02), np.log(0.005)], [3.0, 3.0, np.log(2.0), np.log(5.0)]])
SCALES = np.linspace(-2.4, 2.4, 7)
"""Places at which the scale of the noise is looked at, in standard errors of its logarithm."""
NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(31)
FEW_NODES, FEW_WEIGHTS = np.polynomial.hermite_e.hermegauss(5)
GRID = np.linspace(-7.0, 7.0, 1201)
BELIEF = 2.0
"""How many studies the first belief on each spread counts for."""
FLAT = 1e-4
"""Precision of the level of a study, of which nothing is believed."""

Rows = list[dict[str, str]]
Found = tuple[float, float, float]


@dataclass(frozen=True)
class Data:
    """All studies, one in each row; places after the last user have weight zero."""

    skill: np.ndarray
    use: np.ndarray
    treated: np.ndarray
    sessions: np.ndarray
    outcome: np.ndarray
    filled: np.ndarray
    strength: np.ndarray
    targets: list[np.ndarray]


@dataclass(frozen=True)
class Population:
    """What all studies have in common; the first group of effects is idle, the second active."""

    shape: np.ndarray
    active: float
    slopes: np.ndarray
    slope_spread: np.ndarray
    idle_spread: float
    low: float
    high: np.ndarray
    end_spread: np.ndarray
    noise: float
    noise_spread: float


@dataclass(frozen=True)
class Parts:
    """Each study's posterior as a sum over scales of the noise and groups: weights, means and covariances."""

    weights: np.ndarray
    means: np.ndarray
    spreads: np.ndarray
    log_scales: np.ndarray
    total: float


def read_data(studies: dict[str, Rows]) -> Data:
    """The columns of all studies, filled up to one length."""
    users = [[row for row in rows if row["outcome"]] for rows in studies.values()]
    longest = max(len(rows) for rows in users)

    def column(name: str, empty: float = 0.0) -> np.ndarray:
        lists = [[float(row[name]) for row in rows] + [empty] * (longest - len(rows)) for rows in users]
        return np.array(lists)

    filled = np.array([[1.0] * len(rows) + [0.0] * (longest - len(rows)) for rows in users])
    treated = np.array(
        [[row["arm"] == "b" for row in rows] + [False] * (longest - len(rows)) for rows in users]
    )
    outcome = column("outcome")
    outcome -= (outcome.sum(axis=1) / filled.sum(axis=1))[:, None]
    targets = [
        np.array([(float(row["skill"]), float(row["use"])) for row in rows if not row["outcome"]])
        for rows in studies.values()
    ]
    strength = np.array([float(rows[0]["strength"]) for rows in studies.values()])
    sessions = column("sessions", 1.0)
    return Data(
        column("skill"), column("use"), treated * 1.0, sessions, outcome * filled, filled, strength, targets
    )


def first_population(data: Data) -> Population:
    """Plain values to start from."""
    spread = float(np.log(data.outcome[data.filled > 0].std()))
    return Population(
        shape=np.array([0.0, 0.0, np.log(0.5), np.log(0.3)]),
        active=0.5,
        slopes=np.zeros(3),
        slope_spread=np.ones(3),
        idle_spread=0.05,
        low=0.0,
        high=np.array([1.0, 0.0, 0.0]),
        end_spread=np.array([1.0, 1.0]),
        noise=spread,
        noise_spread=0.5,
    )


def steps(place: np.ndarray, shape: np.ndarray) -> np.ndarray:
    """How far places are above the step, from 0 to 1."""
    return 0.5 + 0.5 * np.tanh((place - shape[1]) / np.exp(shape[2]) / 2)


def sums(data: Data, shape: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The weighted products of the terms of each study, and the logarithm of its weights."""
    above = steps(data.skill + shape[0] * data.use, shape)
    ones = np.ones_like(above)
    ends = (data.treated * (1 - above), data.treated * above)
    terms = np.stack([ones, data.skill, data.use, data.skill**2, *ends], axis=2)
    weights = data.filled / (np.exp(shape[3]) + 1 / data.sessions)
    weighted = (terms * weights[:, :, None]).transpose(0, 2, 1)
    squares = (weights * data.outcome**2).sum(axis=1)
    logs = np.log(np.where(data.filled > 0, weights, 1.0)).sum(axis=1)
    return weighted @ terms, (weighted @ data.outcome[:, :, None])[:, :, 0], squares, logs


def beliefs(data: Data, law: Population) -> tuple[np.ndarray, np.ndarray]:
    """Mean and precision of level, slopes and ends, by study and group."""
    means = np.zeros((len(data.strength), 2, 6))
    means[:, :, 1:4] = law.slopes
    means[:, 1, 4] = law.low
    means[:, 1, 5] = bases(data) @ law.high
    slopes = 1 / law.slope_spread**2
    idle = np.concatenate([[FLAT], slopes, [law.idle_spread**-2] * 2])
    active = np.concatenate([[FLAT], slopes, law.end_spread**-2.0])
    return means, np.array([idle, active])


def bases(data: Data) -> np.ndarray:
    return np.stack([np.ones_like(data.strength), data.strength, data.strength**2], axis=1)


def parts(data: Data, law: Population) -> Parts:
    """The posterior of all studies under one law."""
    products, sides, squares, logs = sums(data, law.shape)
    count = data.filled.sum(axis=1)
    ridge = products + 0.3 * np.eye(6)
    rest = squares - (sides * np.linalg.solve(ridge, sides[:, :, None])[:, :, 0]).sum(axis=1)
    middle = 0.5 * np.log(np.maximum(rest, 1e-9) / np.maximum(count - 6, 1))
    gaps = 1 / np.sqrt(2 * count)
    log_scales = middle[:, None] + SCALES * gaps[:, None]
    power = np.exp(-2 * log_scales)
    means, precision = beliefs(data, law)
    inner = power[:, :, None, None, None] * products[:, None, None] + precision[:, None] * np.eye(6)
    pulled = precision * means
    right = power[:, :, None, None] * sides[:, None, None] + pulled[:, None]
    spreads = np.linalg.inv(inner)
    found = (spreads @ right[..., None])[..., 0]
    scores = 0.5 * ((found * right).sum(axis=3) - (pulled * means).sum(axis=2)[:, None])
    scores += 0.5 * (np.log(precision).sum(axis=1) + np.linalg.slogdet(spreads)[1])
    scores += np.log([1 - law.active, law.active])
    plain = -0.5 * power * squares[:, None] - count[:, None] * log_scales + 0.5 * logs[:, None]
    plain -= 0.5 * ((log_scales - law.noise) / law.noise_spread) ** 2
    plain += np.log(gaps / law.noise_spread)[:, None]
    scores += plain[:, :, None]
    peak = scores.max(axis=(1, 2), keepdims=True)
    weights = np.exp(scores - peak)
    total = weights.sum(axis=(1, 2), keepdims=True)
    return Parts(weights / total, found, spreads, log_scales, float((peak + np.log(total)).sum()))


def spread_of(weights: np.ndarray, squares: np.ndarray, first: float) -> float:
    """A learnt standard deviation, held by a first belief."""
    return float(np.sqrt(((weights * squares).sum() + BELIEF * first**2) / (weights.sum() + BELIEF)))


def learnt(data: Data, law: Population) -> Population:
    """One step of learning of all laws but the shape of the step."""
    now = parts(data, law)
    weights, both = now.weights, now.weights[:, :, 1]
    variances = np.diagonal(now.spreads, axis1=3, axis2=4)
    slopes = (weights[..., None] * now.means).sum(axis=(0, 1, 2))[1:4] / len(weights)
    slope_squares = (now.means[..., 1:4] - slopes) ** 2 + variances[..., 1:4]
    idle_squares = now.means[:, :, 0, 4:] ** 2 + variances[:, :, 0, 4:]
    share = both.sum(axis=1)
    low = float((both * now.means[:, :, 1, 4]).sum() / max(share.sum(), 1e-9))
    base = bases(data)
    highs = (both * now.means[:, :, 1, 5]).sum(axis=1)
    high = np.linalg.solve(base.T @ (base * share[:, None]) + 0.05 * np.eye(3), base.T @ highs)
    ends = (np.full(len(share), low), base @ high)
    end_squares = [
        (now.means[:, :, 1, 4 + end] - ends[end][:, None]) ** 2 + variances[:, :, 1, 4 + end]
        for end in (0, 1)
    ]
    scale_shares = weights.sum(axis=2)
    noise = float((scale_shares * now.log_scales).sum() / len(weights))
    return replace(
        law,
        active=float((share.sum() + 1) / (len(share) + 2)),
        slopes=slopes,
        slope_spread=np.array([spread_of(weights, slope_squares[..., one], 0.3) for one in range(3)]),
        idle_spread=spread_of(weights[:, :, 0], idle_squares.mean(axis=2), 0.1),
        low=low,
        high=high,
        end_spread=np.array([spread_of(both, squares, 0.3) for squares in end_squares]),
        noise=noise,
        noise_spread=spread_of(scale_shares, (now.log_scales - noise) ** 2, 0.3),
    )


def searched(data: Data, law: Population, size: float) -> Population:
    """A better shape of the step and of the noise: each number in turn, along a parabola."""
    best, steps_now = parts(data, law).total, SHAPE_STEPS * size
    for one in range(len(law.shape)):
        moves = np.eye(len(law.shape))[one] * steps_now
        sides = [parts(data, replace(law, shape=law.shape + sign * moves)).total for sign in (-1, 1)]
        bend = sides[0] + sides[1] - 2 * best
        jump = (sides[0] - sides[1]) / (2 * bend) if bend < 0 else float(np.sign(sides[1] - sides[0]))
        shape = np.clip(law.shape + np.clip(jump, -1.5, 1.5) * moves, *WIDEST)
        total = parts(data, replace(law, shape=shape)).total
        if total > best:
            law, best = replace(law, shape=shape), total
    return law


def learn(data: Data) -> Population:
    law = first_population(data)
    for number in range(ROUNDS):
        for _ in range(REPEATS):
            law = learnt(data, law)
        for size in (1.0, 0.6, 0.3) if number < ROUNDS - 1 else (0.2,):
            law = searched(data, law, size)
    return law


def target_share(people: np.ndarray, shape: np.ndarray) -> tuple[float, float]:
    """The mean of the step over the people behind a sample of the target, and its standard error."""
    place = people @ np.array([1.0, shape[0]])
    count, middle, width = len(place), place.mean(), place.std(ddof=1)
    normal = NODE_WEIGHTS / NODE_WEIGHTS.sum()
    above = steps(middle + width * NODES, shape)
    by_middle, by_width = normal @ (above * NODES), normal @ (above * (NODES**2 - 1))
    return float(normal @ above), float(np.sqrt((by_middle**2 + by_width**2 / 2) / count))


def interval(weights: np.ndarray, means: np.ndarray, spreads: np.ndarray) -> Found:
    """Mean and 95% interval of a sum of normal laws."""
    middle = float(weights @ means)
    width = float(np.sqrt(weights @ (spreads**2 + (means - middle) ** 2)))
    places = middle + width * GRID
    heights = (weights / spreads) @ np.exp(-0.5 * ((places - means[:, None]) / spreads[:, None]) ** 2)
    sums_so_far = np.cumsum(heights) / heights.sum()
    low, high = np.interp((0.025, 0.975), sums_so_far, places + (places[1] - places[0]) / 2)
    return float(np.clip(middle, low, high)), float(low), float(high)


def answers(data: Data, law: Population) -> list[Found]:
    """The interval of each study under one law."""
    now, found = parts(data, law), []
    for number, people in enumerate(data.targets):
        share, error = target_share(people, law.shape)
        shares = np.clip(share + error * FEW_NODES, 0, 1)
        mix = np.stack([1 - shares, shares], axis=1)
        means = now.means[number, :, :, 4:] @ mix.T
        spreads = np.einsum("ek,sgkl,el->sge", mix, now.spreads[number, :, :, 4:, 4:], mix)
        weights = now.weights[number][:, :, None] * FEW_WEIGHTS / FEW_WEIGHTS.sum()
        found.append(interval(weights.ravel(), means.ravel(), np.sqrt(spreads.ravel())))
    return found


def analyse_all(studies: dict[str, Rows]) -> dict[str, Found]:
    data = read_data(studies)
    return dict(zip(studies, answers(data, learn(data)), strict=True))
