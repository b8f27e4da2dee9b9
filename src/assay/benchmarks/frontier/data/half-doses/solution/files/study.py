"""All studies together: success curves with unknown ends, slope and middles, and the law of their shifts.

How often old batches are spoiled, how alike the trials of each grader are, and the laws of ends, slopes
and shifts are learnt from all studies of the folder.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

MARGIN = 0.3
CHANCES = np.linspace(0.001, 0.999, 333)
LOWS = np.array([0.005, 0.03, 0.07, 0.12, 0.17, 0.21, 0.25, 0.29, 0.35])
HIGHS = np.array([0.45, 0.53, 0.6, 0.66, 0.72, 0.78, 0.84, 0.9, 0.95, 0.985])
SLOPES = np.exp(np.linspace(np.log(0.6), np.log(4.8), 9))
STEP = 0.125
"""Distance of the middles, in doublings."""
LARGEST = 4.0
SHIFTS = np.arange(-LARGEST, LARGEST + STEP / 2, STEP)
FINE = np.arange(-LARGEST, LARGEST + 1e-9, STEP / 8)
OLDEST = 9
BEYOND = 2
"""How far middles may lie outside the amounts, in doublings."""
REACH = 16
START = np.array([-4.0, -3.0, -1.5, 0.0, 0.0])
"""Where the search starts: logs of the likenesses (program, person), logit of the spoiled share of the oldest
batches, log of the power of the age, logit of what a spoiled batch keeps of its chance."""
SEARCH = ((1.5, 4), (0.8, 4), (0.4, 2))
"""Sizes of the steps of the search, and every how many studies one is used."""
WORST = 9.0
"""Nodes that fit worse than the best by more than this, in logs, are left out."""
REPEATS = 40
BELIEF = 2.0
SMOOTH = 6.0
"""How many studies the first belief on ends and on slopes counts for."""

Rows = list[dict[str, str]]
Found = tuple[float, float, float]
Fits = tuple[np.ndarray, np.ndarray]
"""The nodes that are kept, and the likelihood of each of them and each shift."""


@dataclass(frozen=True)
class Curve:
    """The batches of one arm of one study."""

    powers: np.ndarray
    batches: np.ndarray


@dataclass(frozen=True)
class Study:
    """Both arms of one study, and the share that is mixed in."""

    arms: tuple[Curve, Curve]
    mixed: float

    @property
    def span(self) -> tuple[int, int]:
        """First and last amount, in doublings."""
        powers = np.concatenate([arm.powers for arm in self.arms])
        return int(powers.min()), int(powers.max())


@dataclass(frozen=True)
class Law:
    """The law of the shifts: a share of active studies, their mean by the mixed share, and two spreads."""

    active: float
    means: np.ndarray
    spread: float
    idle_spread: float


FIRST_LAW = Law(0.5, np.array([-0.5, 0.0, 0.0]), 1.0, 0.1)
HATS = np.maximum(0.0, 1 - np.abs(SHIFTS[:, None] - FINE) / STEP)
"""How much of each fine shift belongs to each coarse one."""


def read_studies(studies: dict[str, Rows]) -> tuple[list[Study], np.ndarray]:
    """All studies, and the batches that occur: successes, trials, age and grader."""
    known: dict[tuple[int, ...], int] = {}
    read = []
    for rows in studies.values():
        curves = []
        for arm in "ab":
            own = [row for row in rows if row["arm"] == arm]
            keys = [
                (*(int(row[name]) for name in ("successes", "trials", "age")), int(row["grader"] == "person"))
                for row in own
            ]
            powers = np.log2([float(row["amount"]) for row in own]).round().astype(int)
            curves.append(Curve(powers, np.array([known.setdefault(key, len(known)) for key in keys])))
        read.append(Study((curves[0], curves[1]), float(rows[0]["mixed"])))
    return read, np.array(list(known))


def expit(values: np.ndarray | float) -> np.ndarray:
    return 0.5 + 0.5 * np.tanh(np.asarray(values) / 2)


def plain_logs(chances: np.ndarray, keys: np.ndarray, alike: np.ndarray) -> np.ndarray:
    """The log-likelihood of batches that are not spoiled, for each chance, if trials are alike."""
    right, trials, _, grader = keys.T
    counts = np.arange(trials.max())[:, None]
    found = np.empty((len(keys), len(chances)))
    for one, degree in enumerate(alike):
        hits, misses = (np.log(values + degree * counts).cumsum(axis=0) for values in (chances, 1 - chances))
        totals = np.log1p(degree * counts[:, 0]).cumsum()
        hits, misses = (np.vstack([np.zeros(len(chances)), sums]) for sums in (hits, misses))
        own = grader == one
        found[own] = hits[right[own]] + misses[(trials - right)[own]] - totals[trials[own] - 1, None]
    return found


def table_of(keys: np.ndarray, constants: np.ndarray) -> np.ndarray:
    """The log-likelihood of each batch that occurs, for each chance, spoiled or not."""
    alike, most, aging = np.exp(constants[:2]), float(expit(constants[2])), float(np.exp(constants[3]))
    spoiled = most * (keys[:, 2:3] / OLDEST) ** aging
    whole = plain_logs(CHANCES, keys, alike)
    ratio = np.exp(plain_logs(CHANCES * float(expit(constants[4])), keys, alike) - whole)
    return np.asarray((whole + np.log(1 - spoiled + spoiled * ratio)).astype(np.float32))


def places_of(nodes: np.ndarray, stride: int) -> np.ndarray:
    """Where in the list of chances the curve of each node lies, by the distance from its middle."""
    low, high, slope = nodes.T[:, :, None]
    offsets = np.arange(REACH * stride, -REACH * stride - 1, -1) / stride
    chances = low + (high - low) * expit(slope * offsets)
    return np.asarray(np.rint((chances - CHANCES[0]) / (CHANCES[1] - CHANCES[0])).astype(np.intp))


def arm_logs(
    curve: Curve, span: tuple[int, int], table: np.ndarray, index: np.ndarray, stride: int
) -> np.ndarray:
    """The log-likelihood of an arm for each node and each middle."""
    count = (span[1] - span[0] + 2 * BEYOND) * stride + 1
    logs = np.zeros((len(index), count), np.float32)
    for power, batch in zip(curve.powers, curve.batches, strict=True):
        start = (REACH - (power - span[0] + BEYOND)) * stride
        logs += table[batch][index[:, start : start + count]]
    return logs


def node_scores(studies: list[Study], table: np.ndarray, index: np.ndarray, stride: int) -> np.ndarray:
    """The log-likelihood of each study for each node, if nothing is known of the middles."""
    scores = np.empty((len(studies), len(index)))
    for number, one in enumerate(studies):
        both = [arm_logs(arm, one.span, table, index, stride) for arm in one.arms]
        peaks = [logs.max(axis=1, keepdims=True) for logs in both]
        sums = [np.log(np.exp(logs - peak).sum(axis=1)) for logs, peak in zip(both, peaks, strict=True)]
        scores[number] = sums[0] + sums[1] + peaks[0][:, 0] + peaks[1][:, 0]
    return scores


def mixed_fit(scores: np.ndarray) -> float:
    """The log-likelihood of all studies, with the shares of the nodes that fit best after some steps."""
    peak = scores.max(axis=1, keepdims=True)
    fits, shares = np.exp(scores - peak), np.full(scores.shape[1], 1 / scores.shape[1])
    for _ in range(15):
        joint = fits * shares
        seen = (joint / joint.sum(axis=1, keepdims=True)).sum(axis=0) + 0.02
        shares = seen / seen.sum()
    return float((peak[:, 0] + np.log(fits @ shares)).sum())


def search_constants(studies: list[Study], keys: np.ndarray) -> np.ndarray:
    """Likenesses and spoiling that fit the studies best: each number in turn, along a parabola."""
    nodes = np.array(list(product(LOWS[::2], HIGHS[1::2], SLOPES[1::2])))
    index = places_of(nodes, 2)

    def fit(constants: np.ndarray, every: int) -> float:
        pull = 0.5 * (((constants - START) / 3) ** 2).sum() / every
        return mixed_fit(node_scores(studies[::every], table_of(keys, constants), index, 2)) - pull

    found = START
    for size, every in SEARCH:
        best = fit(found, every)
        for one in range(len(found)):
            move = np.eye(len(found))[one] * size
            sides = [fit(found + sign * move, every) for sign in (-1, 1)]
            bend = sides[0] + sides[1] - 2 * best
            jump = (sides[0] - sides[1]) / (2 * bend) if bend < 0 else float(np.sign(sides[1] - sides[0]))
            tried = found + np.clip(jump, -1.5, 1.5) * move
            total = fit(tried, every)
            if total > best:
                found, best = tried, total
    return found


def shift_fits(one: Study, table: np.ndarray, index: np.ndarray) -> np.ndarray:
    """The likelihood of each node and shift, added up over the middles."""
    stride = round(1 / STEP)
    first, second = (arm_logs(arm, one.span, table, index, stride) for arm in one.arms)
    tops = first.max(axis=1) + second.max(axis=1)
    left = np.exp(first - first.max(axis=1, keepdims=True))
    right = np.exp(second - second.max(axis=1, keepdims=True))
    reach = len(SHIFTS) // 2
    padded = np.pad(right, ((0, 0), (reach, reach)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, left.shape[1], axis=1)
    return np.asarray(np.einsum("ndj,nj->nd", windows, left) * np.exp(tops - tops.max())[:, None])


def all_fits(studies: list[Study], table: np.ndarray, nodes: np.ndarray) -> list[Fits]:
    """The likelihoods of each study, on the nodes that are not far behind the best one."""
    scores = node_scores(studies, table, places_of(nodes, 1), 1)
    index = places_of(nodes, round(1 / STEP))
    found = []
    for one, row in zip(studies, scores, strict=True):
        kept = np.flatnonzero(row > row.max() - WORST)
        found.append((kept, shift_fits(one, table, index[kept])))
    return found


def shift_law(law: Law, mixed: float) -> np.ndarray:
    """The weights of the idle and the active shifts on the fine grid."""
    middle = law.means @ np.array([1.0, mixed, mixed**2])
    idle = np.exp(-0.5 * (FINE / law.idle_spread) ** 2)
    active = np.exp(-0.5 * ((FINE - middle) / law.spread) ** 2) + 1e-300
    return np.stack([(1 - law.active) * idle / idle.sum(), law.active * active / active.sum()])


def fine_fit(shares: np.ndarray, fits: Fits) -> np.ndarray:
    """The likelihood of each fine shift, over the nodes."""
    coarse = shares[fits[0]] @ fits[1]
    return np.exp(np.interp(FINE, SHIFTS, np.log(coarse + 1e-30 * coarse.max() + 1e-300)))


def learn_shares(fits: list[Fits], priors: list[np.ndarray], shares: np.ndarray) -> np.ndarray:
    """One step of learning of the ends, as shares of cells, and of the normal law of the logs of slopes."""
    seen = np.zeros(len(shares))
    for (kept, values), prior in zip(fits, priors, strict=True):
        joint = shares[kept] * (values @ (HATS @ prior.sum(axis=0)))
        seen[kept] += joint / joint.sum()
    cells = seen.reshape(-1, len(SLOPES))
    ends = cells.sum(axis=1) + SMOOTH / len(cells)
    logs, weights = np.log(SLOPES), cells.sum(axis=0)
    middle = float(weights @ logs / weights.sum())
    spread = np.sqrt((weights @ (logs - middle) ** 2 + BELIEF * 0.4**2) / (weights.sum() + BELIEF))
    slopes = np.exp(-0.5 * ((logs - middle) / spread) ** 2)
    return np.asarray(np.outer(ends / ends.sum(), slopes / slopes.sum()).ravel())


def learn_law(weights: np.ndarray, studies: list[Study]) -> Law:
    """One step of learning of the law of the shifts, from the posterior by study, group and fine shift."""
    mixed = np.array([one.mixed for one in studies])
    base = np.stack([np.ones_like(mixed), mixed, mixed**2], axis=1)
    active = weights[:, 1].sum(axis=1)
    sides = base.T @ (weights[:, 1] @ FINE)
    means = np.linalg.solve(base.T @ (base * active[:, None]) + 0.02 * np.eye(3), sides)
    squares = (weights[:, 1] * (FINE - (base @ means)[:, None]) ** 2).sum()
    idle_squares = (weights[:, 0] * FINE**2).sum()
    return Law(
        active=float((active.sum() + 1) / (len(active) + 2)),
        means=means,
        spread=float(np.sqrt((squares + BELIEF * 0.4**2) / (active.sum() + BELIEF))),
        idle_spread=float(np.sqrt((idle_squares + BELIEF * 0.1**2) / (len(active) - active.sum() + BELIEF))),
    )


def posteriors(fits: list[Fits], priors: list[np.ndarray], shares: np.ndarray) -> np.ndarray:
    """The weights of each study, group and fine shift."""
    joint = np.array([prior * fine_fit(shares, one) for prior, one in zip(priors, fits, strict=True)])
    return joint / joint.sum(axis=(1, 2), keepdims=True)


def interval(weights: np.ndarray) -> Found:
    """Mean and 95% interval from weights on the fine grid."""
    low, high = np.interp((0.025, 0.975), np.cumsum(weights), FINE + (FINE[1] - FINE[0]) / 2)
    return float(np.clip(weights @ FINE, low, high)), float(low), float(high)


def analyse_all(studies: dict[str, Rows]) -> dict[str, Found]:
    read, keys = read_studies(studies)
    nodes = np.array(list(product(LOWS, HIGHS, SLOPES)))
    fits = all_fits(read, table_of(keys, search_constants(read, keys)), nodes)
    shares, law = np.full(len(nodes), 1 / len(nodes)), FIRST_LAW
    for _ in range(REPEATS):
        priors = [shift_law(law, one.mixed) for one in read]
        law = learn_law(posteriors(fits, priors, shares), read)
        shares = learn_shares(fits, priors, shares)
    priors = [shift_law(law, one.mixed) for one in read]
    found = posteriors(fits, priors, shares).sum(axis=1)
    return {name: interval(weights) for name, weights in zip(studies, found, strict=True)}
