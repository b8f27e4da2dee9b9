"""All labs together: what their scores have in common is learnt first, then the effects of each kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

MARGIN = 3.0
STEP = 0.05
GRID = np.round(np.arange(-25, 25 + STEP / 2, STEP), 3)
TURNS = range(2, 7)
"""The days on which an instrument can have been adjusted; 0 stands for none."""
TURN_WEIGHTS = np.log([0.05, 0.2, 0.5, 0.2, 0.05])
TURN_SPREAD = 10.0
SPIKES = (0.05, 0.15, 0.3, 0.5, 0.8, 1.2)
"""Widths of the law of the effects that are nearly 0."""
COMMON_SHAPE = 8.0
"""As many studies as this count for the shape of the effects of all kinds beside those of one kind."""
ROUNDS = 50

Found = tuple[float, float, float]
Columns = dict[str, np.ndarray]


@dataclass(frozen=True)
class Study:
    """One file without codes, copies and half points, and how the lab worked."""

    columns: Columns
    rooms: int
    copied: bool
    missing: int
    crossover: bool
    by_room: bool
    undecidable: bool
    ceiling: bool
    halved: bool

    @property
    def may_turn(self) -> bool:
        return not (self.by_room or self.crossover or self.copied or self.halved)


@dataclass(frozen=True)
class Law:
    """What all labs have in common: means, spreads, and how the score after follows from the score before."""

    before_mean: float
    before_spread: float
    before_room_spread: float
    level: float = -0.7
    level_spread: float = 1.0
    slope: float = 0.62
    room_spread: float = 4.1
    unit_noise: float = 4.85
    reading_noise: float = 3.64
    room_slope: float = 0.41

    @property
    def variances(self) -> np.ndarray:
        """Of a single line, of the mean of a unit's two lines, and of their difference."""
        unit, reading = self.unit_noise**2, self.reading_noise**2
        return np.array([unit + reading, unit + reading / 2, 2 * reading])

    def of_room_levels(self, counts: np.ndarray, means: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means and variances of what rooms add, given the mean score before of their units."""
        variance = self.before_room_spread**2
        trust = counts * variance / (counts * variance + self.before_spread**2)
        expected = self.room_slope * trust * (means - self.before_mean)
        return expected, self.room_slope**2 * variance * (1 - trust) + self.room_spread**2


@dataclass(frozen=True)
class Sums:
    """Sums of products for single lines, means and differences of pairs; the scores before in each room."""

    products: np.ndarray
    sizes: np.ndarray
    counts: np.ndarray
    means: np.ndarray


def analyse_all(studies: dict[str, list[dict[str, str]]]) -> dict[str, Found | None]:
    prepared = {name: prepare(rows) for name, rows in studies.items()}
    used = [study for study in prepared.values() if not study.undecidable]
    if not used:
        return dict.fromkeys(studies)
    law, turns = learn_law(list(prepared.values()), [study for study in used if not study.ceiling])
    curves = iter(curves_of(used, turns, law))
    kinds = [kind_of(study, turns.get(id(study), 0)) for study in used]
    chances = iter(weigh_effects(np.array(list(curves)), kinds))
    return {name: None if study.undecidable else summary(next(chances)) for name, study in prepared.items()}


def summary(chances: np.ndarray) -> Found:
    """Mean and 95% interval of a law on the grid."""
    edges = np.append(GRID - STEP / 2, GRID[-1] + STEP / 2)
    total = np.append(0.0, np.cumsum(chances)) + np.arange(len(edges)) * 1e-15
    low, high = np.interp([0.025, 0.975], total, edges)
    return float(np.clip(chances @ GRID, low, high)), float(low), float(high)


def prepare(rows: list[dict[str, str]]) -> Study:
    """Clean the lines of a file and find out how the lab worked."""
    columns: Columns = {
        name: np.array([float(row[name]) for row in rows]) for name in ("day", "before", "after")
    }
    for name in ("unit", "room"):
        columns[name] = np.unique([row[name] for row in rows], return_inverse=True)[1]
    columns["treated"] = np.array([float(row["arm"] == "b") for row in rows])
    merged = merge_copies(columns)
    copied = len(merged["unit"]) < len(rows) - 10
    columns = merged if copied else columns
    lost = columns["after"] < -5
    columns = {name: values[~lost] for name, values in columns.items()}
    room, after = columns["room"], columns["after"]
    crossover = bool(np.mean(np.unique(columns["unit"], return_counts=True)[1] > 1) > 0.3)
    shares = [columns["treated"][room == number].mean() for number in np.unique(room)]
    by_room = all(share in (0.0, 1.0) for share in shares)
    undecidable = by_room and len(shares) <= 3
    top = after.max()
    hits = int((after == top).sum())
    ceiling = (hits >= 3 or (hits == 2 and top == round(top))) and not crossover and not copied
    half = np.zeros(len(room), bool)
    if not (ceiling or undecidable or copied or crossover):
        half = np.isin(room, [number for number in np.unique(room) if is_half(columns, room == number)])
    for name in ("before", "after"):
        columns[name] = np.where(half, 2, 1) * columns[name]
    shape = (copied, int(lost.sum()), crossover, by_room, undecidable, ceiling, bool(half.any()))
    return Study(columns, int(room.max()) + 1, *shape)


def merge_copies(columns: Columns) -> Columns:
    """One line, at the mean, for lines of different units with nearly the same numbers."""
    before, after = columns["before"], columns["after"]
    order = np.argsort(before, kind="stable")
    ends = np.searchsorted(before[order], before[order] + 0.13)
    free, groups = np.ones(len(order), bool), []
    for place, first in enumerate(order):
        if free[first]:
            near = order[place + 1 : ends[place]]
            near = near[free[near] & (before[near] - before[first] <= 0.12)]
            near = near[
                (np.abs(after[near] - after[first]) < 0.12)
                & (columns["unit"][near] != columns["unit"][first])
            ]
            for name in ("room", "day", "treated"):
                near = near[columns[name][near] == columns[name][first]]
            groups.append(np.append(first, near))
            free[groups[-1]] = False
    merged = {name: values[[group[0] for group in groups]] for name, values in columns.items()}
    means = {
        name: np.array([columns[name][group].mean() for group in groups]) for name in ("before", "after")
    }
    return merged | means


def is_half(columns: Columns, inside: np.ndarray) -> bool:
    """Whether the scores of a room are more likely when they are doubled."""
    count, likelihoods = int(inside.sum()), []
    for factor in (1.0, 2.0):
        before = factor * columns["before"][inside] - 50
        after = factor * columns["after"][inside] - 50 - 0.6 * before
        value = 2 * count * math.log(factor)
        for scores, within, between in ((before, 64.0, 9.5), (after, 36.0, 117.0)):
            mean = scores.mean()
            value -= 0.5 * ((scores - mean) ** 2).sum() / within + 0.5 * mean**2 / (between + within / count)
        likelihoods.append(value)
    return bool(likelihoods[1] > likelihoods[0] + 3)


def design_of(study: Study, turn: int) -> np.ndarray:
    """Columns: arm, after the turn or not, one, score before, rooms, score after."""
    columns = study.columns
    turned = (columns["day"] >= turn) & (turn > 0)
    one = np.ones(len(turned))
    rooms = columns["room"][:, None] == np.arange(study.rooms)
    before, after = columns["before"] - 50, columns["after"] - 50
    return np.column_stack([columns["treated"], turned, one, before, rooms, after]).astype(float)


def observations(study: Study, turn: int) -> list[np.ndarray]:
    """Single lines, means of pairs and differences of pairs; only a crossover has pairs."""
    lines = design_of(study, turn)
    if not study.crossover:
        return [lines, lines[:0], lines[:0]]
    unit, treated = study.columns["unit"], study.columns["treated"]
    order = np.argsort(unit, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(unit[order])) + 1)
    is_pair = [len(group) == 2 and treated[group[0]] != treated[group[1]] for group in groups]
    means = np.array([lines[group].mean(0) for group in groups])
    pairs = [group for group, good in zip(groups, is_pair, strict=True) if good]
    differences = np.array([lines[first] - lines[second] for first, second in pairs]).reshape(
        -1, lines.shape[1]
    )
    return [means[~np.array(is_pair)], means[is_pair], differences]


def before_of(study: Study) -> tuple[np.ndarray, np.ndarray, float, int]:
    """Units and mean score before of each room, and squares and degrees of freedom within rooms."""
    unit, room, before = (study.columns[name] for name in ("unit", "room", "before"))
    chosen = np.unique(unit, return_index=True)[1] if study.crossover else np.arange(len(room))
    room, before = room[chosen], before[chosen] - 50
    counts = np.bincount(room, minlength=study.rooms)
    means = np.bincount(room, before, minlength=study.rooms) / np.maximum(counts, 1)
    return counts, means, float(((before - means[room]) ** 2).sum()), len(room) - int((counts > 0).sum())


def add_up(studies: Sequence[Study], turns: Sequence[int]) -> Sums:
    rooms = max([study.rooms for study in studies], default=1)
    products = np.zeros((len(studies), 3, rooms + 5, rooms + 5))
    sizes = np.zeros((len(studies), 3))
    counts, means = np.full((2, len(studies), rooms), np.nan)
    for number, (study, turn) in enumerate(zip(studies, turns, strict=True)):
        places = np.append(np.arange(4 + study.rooms), rooms + 4)
        for form, lines in enumerate(observations(study, turn)):
            products[number, form][np.ix_(places, places)] = lines.T @ lines
            sizes[number, form] = len(lines)
        counts[number, : study.rooms], means[number, : study.rooms] = before_of(study)[:2]
    return Sums(products, sizes, counts, means)


def posterior(sums: Sums, law: Law) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Log-likelihood, mean and precision of the coefficients of each study."""
    number, size = len(sums.sizes), sums.products.shape[-1] - 1
    scaled = np.einsum("nkij,k->nij", sums.products, 1 / law.variances)
    expected, variances = law.of_room_levels(sums.counts, sums.means)
    first = [1e-6, TURN_SPREAD**-2, law.level_spread**-2, 1e8]
    weights = np.hstack([np.tile(first, (number, 1)), 1 / np.nan_to_num(variances, nan=1.0)])
    means = np.hstack([np.tile([0, 0, law.level, law.slope], (number, 1)), np.nan_to_num(expected)])
    precision = scaled[:, :size, :size] + weights[:, :, None] * np.eye(size)
    target = scaled[:, :size, size] + weights * means
    squares = scaled[:, size, size] + (weights * means**2).sum(1)
    found = np.linalg.solve(precision, target[..., None])[..., 0]
    likelihood = 0.5 * (
        np.log(weights).sum(1) - np.linalg.slogdet(precision)[1] - squares + (target * found).sum(1)
    )
    return likelihood - 0.5 * (sums.sizes * np.log(law.variances)).sum(1), found, precision


def find_turns(studies: Sequence[Study], law: Law) -> dict[int, int]:
    """The day of the turn of each study that seems to have one."""
    studies = [study for study in studies if study.may_turn]
    if not studies:
        return {}
    fits = np.array([posterior(add_up(studies, [turn] * len(studies)), law)[0] for turn in (0, *TURNS)])
    with_turn = fits[1:] + TURN_WEIGHTS[:, None]
    found = {}
    for number, study in enumerate(studies):
        together = np.corrcoef(study.columns["day"], study.columns["treated"])[0, 1]
        hint = -0.5 * ((together - 0.54) / 0.09) ** 2 + 0.5 * (together / 0.09) ** 2
        if hint + with_turn[:, number].max() - fits[0, number] > 1:
            found[id(study)] = TURNS[int(np.argmax(with_turn[:, number]))]
    return found


def learn_law(everything: Sequence[Study], studies: Sequence[Study]) -> tuple[Law, dict[int, int]]:
    """The law of all scores, and the turns, from the studies without a ceiling."""
    law = law_before(everything)
    turns = find_turns(studies, law)
    law = fit_law(studies, turns, law)
    again = find_turns(studies, law)
    return (law, turns) if again == turns else (fit_law(studies, again, law), again)


def law_before(studies: Sequence[Study]) -> Law:
    counts, means, squares, freedom = zip(*map(before_of, studies), strict=True)
    count, mean = np.concatenate(counts), np.concatenate(means)
    count, mean = count[count > 0], mean[count > 0]
    within = sum(squares) / sum(freedom)

    def loss(point: np.ndarray) -> float:
        variance = math.exp(2 * point[1]) + within / count
        return float(0.5 * np.sum(np.log(variance) + (mean - point[0]) ** 2 / variance))

    middle, spread = minimise(loss, [0, 1], [1, 0.3])
    return Law(float(middle), math.sqrt(within), math.exp(spread))


def fit_law(studies: Sequence[Study], turns: dict[int, int], start: Law) -> Law:
    """The most likely law, with weak beliefs where few studies tell."""
    sums = add_up(studies, [turns.get(id(study), 0) for study in studies])
    names = ("level", "level_spread", "slope", "room_spread", "unit_noise", "reading_noise", "room_slope")
    logs = [name.endswith(("spread", "noise")) for name in names]

    def law_at(point: np.ndarray) -> Law:
        values = [math.exp(value) if log else float(value) for value, log in zip(point, logs, strict=True)]
        return replace(start, **dict(zip(names, values, strict=True)))

    def loss(point: np.ndarray) -> float:
        law = law_at(point)
        doubts = (
            math.log(law.reading_noise / 3.6) / 0.2,
            (law.room_slope - 0.4) / 0.2,
            (point[1] + 0.5) / 1.5,
        )
        return 0.5 * sum(doubt**2 for doubt in doubts) - float(posterior(sums, law)[0].sum())

    values = [getattr(start, name) for name in names]
    first = [math.log(value) if log else value for value, log in zip(values, logs, strict=True)]
    return law_at(minimise(loss, first, [0.5, 0.4, 0.04, 0.1, 0.1, 0.1, 0.15]))


def minimise(
    loss: Callable[[np.ndarray], float], start: Sequence[float], steps: Sequence[float]
) -> np.ndarray:
    """The lowest point that a simplex of points finds (Nelder and Mead)."""
    points = np.vstack([start, np.array(start) + np.diag(steps)])
    losses = np.array([loss(point) for point in points])
    for _ in range(350):
        order = np.argsort(losses)
        points, losses = points[order], losses[order]
        if losses[-1] - losses[0] < 1e-3:
            break
        centre = points[:-1].mean(0)
        new = 2 * centre - points[-1]
        value = loss(new)
        if value < losses[0]:
            further = 3 * centre - 2 * points[-1]
            new, value = min(((new, value), (further, loss(further))), key=lambda pair: pair[1])
        elif value >= losses[-2]:
            new = (centre + points[-1]) / 2
            value = loss(new)
        if value < losses[-1]:
            points[-1], losses[-1] = new, value
        else:
            points[1:] = (points[0] + points[1:]) / 2
            losses[1:] = [loss(point) for point in points[1:]]
    return points[np.argmin(losses)]


def curves_of(studies: Sequence[Study], turns: dict[int, int], law: Law) -> list[np.ndarray]:
    """The log-likelihood of each effect of the grid, for each study."""
    plain = [study for study in studies if not study.ceiling]
    _, found, precision = posterior(add_up(plain, [turns.get(id(study), 0) for study in plain]), law)
    variances = np.linalg.inv(precision)[:, 0, 0]
    normal = iter(-0.5 * (GRID - found[:, :1]) ** 2 / variances[:, None])
    return [censored_curve(study, law) if study.ceiling else next(normal) for study in studies]


def censored_curve(study: Study, law: Law) -> np.ndarray:
    """The log-likelihood of the grid for a study with a ceiling, between effects where it is worked out."""
    turn = 0
    if not study.by_room:
        tried = [np.logaddexp.reduce(censored_fits(study, turn, law, [0.0, 6.0, -6.0])) for turn in TURNS]
        turn = TURNS[int(np.argmax(tried + TURN_WEIGHTS))]
    coarse = np.arange(-20, 20.1, 4.0)
    best = coarse[np.argmax(censored_fits(study, turn, law, coarse))]
    effects = np.unique(np.clip([-26, *coarse, *np.arange(best - 5, best + 5.1), 26], -26, 26))
    return interpolate(effects, censored_fits(study, turn, law, effects))


def censored_fits(study: Study, turn: int, law: Law, effects: Sequence[float] | np.ndarray) -> np.ndarray:
    """The log-likelihood at some effects, by Laplace's rule for the levels of the study and its rooms."""
    lines, cut = design_of(study, turn), study.columns["after"] >= study.columns["after"].max()
    expected, variances = law.of_room_levels(*before_of(study)[:2])
    weights = np.concatenate([[TURN_SPREAD**-2, law.level_spread**-2], 1 / variances])
    means = np.concatenate([[0, law.level], expected])
    rest = lines[:, -1] - law.slope * lines[:, 3]
    nuisance, levels, fits = np.delete(lines, [0, 3, -1], 1), means, []
    for effect in effects:
        target = rest - effect * lines[:, 0]
        value, gradient, curvature = penalised(target, cut, nuisance, levels, law, means, weights)
        for _ in range(40):
            step, old = np.linalg.solve(curvature, gradient), value
            for halvings in range(11):
                point = levels + step / 2**halvings
                value, gradient, curvature = penalised(target, cut, nuisance, point, law, means, weights)
                if value >= old - 1e-9:
                    break
            levels = point
            if abs(value - old) < 1e-7:
                break
        fits.append(value - 0.5 * np.linalg.slogdet(curvature)[1] + 0.5 * np.log(weights).sum())
    return np.array(fits)


def penalised(
    target: np.ndarray,
    cut: np.ndarray,
    nuisance: np.ndarray,
    levels: np.ndarray,
    law: Law,
    means: np.ndarray,
    weights: np.ndarray,
) -> tuple[float, np.ndarray, np.ndarray]:
    """Log-likelihood and prior of the levels, with gradient and negative second derivative."""
    noise = math.sqrt(law.variances[0])
    scaled = (target - nuisance @ levels) / noise
    beyond = np.minimum(scaled[cut], 35)
    tails = np.array([math.erfc(value / math.sqrt(2)) / 2 for value in beyond])
    hazards = np.exp(-(beyond**2) / 2) / math.sqrt(2 * math.pi) / tails
    slopes, curvatures = scaled / noise, np.full(len(scaled), noise**-2)
    slopes[cut] = hazards / noise
    curvatures[cut] = np.maximum(hazards * (hazards - beyond), 1e-9) / noise**2
    value = (
        np.log(tails).sum() - 0.5 * (scaled[~cut] ** 2).sum() - 0.5 * (weights * (levels - means) ** 2).sum()
    )
    gradient = nuisance.T @ slopes - weights * (levels - means)
    return float(value), gradient, (nuisance * curvatures[:, None]).T @ nuisance + np.diag(weights)


def interpolate(places: np.ndarray, values: np.ndarray) -> np.ndarray:
    """A cubic spline through the values, on the grid."""
    gaps, size = np.diff(places), len(places)
    system, target = np.eye(size), np.zeros(size)
    for number in range(1, size - 1):
        left, right = gaps[number - 1], gaps[number]
        system[number, number - 1 : number + 2] = left, 2 * (left + right), right
        target[number] = 6 * np.diff(np.diff(values[number - 1 : number + 2]) / (left, right))[0]
    system[0, 1] = system[-1, -2] = -1
    bends = np.linalg.solve(system, target)
    start = np.clip(np.searchsorted(places, GRID) - 1, 0, size - 2)
    total = 0.0
    for at, distance in ((start, places[start + 1] - GRID), (start + 1, GRID - places[start])):
        gap = gaps[start]
        total = (
            total + bends[at] * distance**3 / (6 * gap) + (values[at] / gap - bends[at] * gap / 6) * distance
        )
    return np.asarray(total)


def kind_of(study: Study, turn: int) -> str:
    """The group of studies in which the effects are taken to follow one law."""
    ending = "ceiling" if study.ceiling else "half" if study.halved else ""
    if study.crossover:
        return "crossover codes" if study.missing > 3 else "crossover"
    if study.copied:
        return "copied"
    if study.by_room:
        return f"by place {ending}"
    if study.ceiling or turn:
        return f"turned {ending}"
    chosen = np.corrcoef(study.columns["before"], study.columns["treated"])[0, 1] < -0.28
    return "half" if study.halved else "chosen" if chosen else "clean"


def weigh_effects(curves: np.ndarray, kinds: Sequence[str]) -> np.ndarray:
    """The chances of the effects of the grid for each study, averaged over the widths of the spike at 0."""
    likelihood = np.exp(curves - curves.max(1, keepdims=True))
    members = [np.flatnonzero([kind == other for other in kinds]) for kind in sorted(set(kinds))]
    laws, evidence = [], []
    for width in SPIKES:
        spike = np.exp(-0.5 * (GRID / width) ** 2)
        chances = np.empty_like(likelihood)
        groups = [likelihood[places] for places in members]
        for places, law in zip(members, laws_of_effects(groups, spike / spike.sum()), strict=True):
            chances[places] = likelihood[places] * law
        laws.append(chances / chances.sum(1, keepdims=True))
        evidence.append(np.log(chances.sum(1)).sum())
    shares = np.exp(np.array(evidence) - max(evidence))
    return np.tensordot(shares / shares.sum(), laws, 1)


def laws_of_effects(groups: Sequence[np.ndarray], spike: np.ndarray) -> list[np.ndarray]:
    """For each kind a spike at 0 and a smooth law of the others, near to those of all kinds."""
    number = sum(map(len, groups))
    width = max(0.6, 1.1 * (330 / number) ** 0.2)
    reach = int(4 * width / STEP)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * STEP / width) ** 2)
    base = np.where(np.abs(GRID) < 15, 1, 0.05)
    base = base / base.sum()
    share, shares, shapes = 0.3, [0.3] * len(groups), [base] * len(groups)
    for _ in range(ROUNDS):
        counts, zeros = [], []
        for likelihood, own, shape in zip(groups, shares, shapes, strict=True):
            null, other = own * (likelihood @ spike), likelihood @ shape
            is_null = null / (null + (1 - own) * other)
            counts.append(((1 - is_null) / np.maximum(other, 1e-300)) @ likelihood * shape)
            zeros.append(float(is_null.sum()))
        shares = [(zero + 3 * share) / (len(group) + 3) for zero, group in zip(zeros, groups, strict=True)]
        share = (sum(zeros) + 0.5) / (number + 2)
        shapes = smooth_shapes(counts, base, kernel / kernel.sum())
    return [own * spike + (1 - own) * shape for own, shape in zip(shares, shapes, strict=True)]


def smooth_shapes(counts: Sequence[np.ndarray], base: np.ndarray, kernel: np.ndarray) -> list[np.ndarray]:
    """The law of the effects that are not 0 in each kind: one form on both sides, common shares of them."""
    total = np.sum(counts, axis=0)
    common = smoothed(total + total[::-1] + base, kernel)
    above, below = total[GRID > 0].sum() + 10, total[GRID < 0].sum() + 10
    sides = 1 + np.sign(GRID) * (above - below) / (above + below)
    shapes = []
    for count in counts:
        shape = (smoothed(count + count[::-1], kernel) / 2 + COMMON_SHAPE * common / common.sum()) * sides
        shapes.append(shape / shape.sum())
    return shapes


def smoothed(counts: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    spread = np.convolve(counts, kernel, "same")
    return (spread + spread[::-1]) / 2
