"""Draws short series of several families in groups, each with many possible futures: `ASSAY_SEED=7 python draw.py`.

Writes workspace/problem.json (for solve.py) and truth/truth.json (for the score). The futures of a series start from
the same true state at the end of its history. The truth also has the quantiles of the best known program, which
is in known/.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "known"))
from solve import quantiles_of  # noqa: E402

GROUPS, FUTURES = 96, 16
OUTLIERS = 0.02
ALIKE = 0.8
JUMPS = 0.03
MEMBERS = (3, 9)


class Clock:
    """Noise that all futures share until the history ends, and that is their own afterwards."""

    def __init__(self, random):
        self.random = random
        self.history, self.horizon = int(np.exp(random.uniform(np.log(30), np.log(121)))), int(random.integers(8, 13))
        self.members = int(random.integers(*MEMBERS))
        self.period = int(random.choice([4, 7, 12]))
        self.first = int(random.integers(self.period))
        self.steps = self.history + self.horizon
        self.phase = (self.first + np.arange(self.steps)) % self.period

    def shared(self, draw, members=None):
        """Noise of the shape futures, members, steps."""
        members = members or self.members
        past = np.repeat(draw((1, members, self.history)), FUTURES, axis=0)
        return np.concatenate([past, draw((FUTURES, members, self.horizon))], axis=2)

    def normal(self, members=None):
        return self.shared(lambda shape: self.random.normal(0.0, 1.0, shape), members)

    def chance(self, members=None):
        return self.shared(lambda shape: self.random.random(shape), members)

    def own(self, low, high):
        """A number for each member, which varies less within the group than between groups."""
        middle, width = self.random.uniform(low, high), 0.25 * (high - low)
        return np.clip(middle + self.random.uniform(-width, width, self.members), low, high)[None, :, None]

    def season(self, strength, alike=ALIKE):
        """A pattern of the period: the group's and a part of each member's own."""
        common, own = (
            self.random.normal(0.0, 1.0, self.period),
            self.random.normal(0.0, 1.0, (self.members, self.period)),
        )
        if self.period == 12:
            angle = 2 * np.pi * np.arange(12) / 12
            common = (
                0.4 * common
                + np.sin(angle + self.random.uniform(0, 7))
                + 0.5 * np.sin(2 * angle + self.random.uniform(0, 7))
            )
        pattern = alike * common + np.sqrt(1 - alike**2) * own
        pattern -= pattern.mean(axis=1, keepdims=True)
        return strength * pattern[None][:, :, self.phase]


def memory(noise, keep):
    """Noise that remembers: each value keeps a part of the one before."""
    values, now = np.empty_like(noise), 0.0
    keep = np.broadcast_to(keep, (1, noise.shape[1], 1))[:, :, 0]
    for step in range(noise.shape[2]):
        now = keep * now + noise[:, :, step]
        values[:, :, step] = now
    return values


def together(clock, share):
    """Noise of the members that has a part in common."""
    return np.sqrt(share) * clock.normal(1) + np.sqrt(1 - share) * clock.normal()


def bending(clock, random):
    """A trend whose slope changes slowly, or suddenly for the whole group, and a season."""
    push = 0.004 * together(clock, 0.5) + 0.06 * (clock.chance(1) < 0.025) * clock.normal(1)
    slope = memory(push, clock.own(0.9, 0.995)) + 0.006 * random.normal(0.0, 1.0, (1, clock.members, 1))
    level = np.cumsum(slope, axis=2) + np.cumsum(0.015 * clock.normal(), axis=2)
    noise = memory(clock.own(0.02, 0.1) * together(clock, 0.3), random.choice([0.0, 0.5]))
    return np.exp(level + clock.season(clock.own(0.02, 0.25)) + noise)


def waves(clock, random):
    """A season, a slower wave with a pace of its own, and a walking level."""
    pace, start = 2 * np.pi / random.uniform(15, 45), random.uniform(0, 7)
    turn = pace * np.arange(clock.steps) + 0.05 * np.cumsum(clock.normal(1), axis=2)
    slow = clock.own(0.5, 2.0) * np.sin(turn + start + 0.4 * random.normal(0.0, 1.0, (1, clock.members, 1)))
    level = np.cumsum(clock.own(0.02, 0.15) * together(clock, 0.3), axis=2)
    return 8 + slow + level + clock.season(clock.own(0.2, 1.0)) + clock.own(0.2, 0.6) * clock.normal()


def counts(clock, random):
    """Counts with many zeros, whose rate walks slowly, and bursts."""
    rate = clock.own(-2.0, 1.2) + memory(0.12 * together(clock, 0.6), 0.97) + clock.season(clock.own(0.0, 0.8))
    spread, away = clock.own(0.8, 4.0), memory((clock.chance() - 0.5) * 0.8, 0.7) > 0.75
    mean = np.exp(rate) * np.where(away, 0.0, 1.0)
    draw = np.random.default_rng(random.integers(2**60))
    past = draw.poisson(draw.gamma(np.broadcast_to(spread, mean[:1].shape)) / spread * mean[:1])
    rest = draw.poisson(draw.gamma(np.broadcast_to(spread, mean.shape)) / spread * mean)
    values = np.where(np.arange(clock.steps) < clock.history, past, rest)
    return values * random.choice([1.0, 1.0, 6.0])


def shifts(clock, random):
    """Levels that jump, some for the whole group, and come back in part."""
    jump = (clock.chance() < JUMPS) * clock.normal() + (clock.chance(1) < 0.02) * clock.normal(1)
    level = memory(clock.own(2.0, 6.0) * jump, random.choice([1.0, 0.97, 0.9]))
    tails = clock.normal() / np.sqrt(clock.normal() ** 2 * 0.5 + 0.5)
    return 20 + level + memory(0.5 * tails, random.choice([0.0, 0.4, 0.8])) + clock.season(clock.own(0.0, 0.8))


def regimes(clock, random):
    """Calm and rough times that the group shares; values that come back to their mean or walk."""
    rough, change = np.zeros((FUTURES, clock.steps)), clock.chance(1)[:, 0]
    now = np.repeat(random.random() < 0.4, FUTURES)
    for step in range(clock.steps):
        now = np.where(change[:, step] < np.where(now, 0.08, 0.05), ~now, now)
        rough[:, step] = now
    size = np.exp(np.log(random.uniform(3.0, 6.0)) * rough)[:, None]
    value = memory(0.3 * size * together(clock, random.choice([0.2, 0.7])), random.choice([1.0, 0.95, 0.8, 0.4]))
    return 15 + value + 0.1 * clock.normal() + clock.season(clock.own(0.0, 0.4))


def events(clock, random):
    """Marked steps change the value, also before and after them; the effect belongs to the group."""
    effect = (
        random.normal(0.0, 0.35) + random.choice([-0.5, 0.5]) + 0.12 * random.normal(0.0, 1.0, (1, clock.members, 1))
    )
    around = np.zeros((3, clock.steps))
    around[0, :-1] = clock.marks[1:] * random.normal(0.0, 0.4)
    around[1] = clock.marks
    around[2, 1:] = clock.marks[:-1] * random.normal(0.0, 0.4)
    level = memory(0.05 * together(clock, 0.5), 0.97) + 0.003 * random.normal() * np.arange(clock.steps)
    noise = clock.own(0.04, 0.2) * clock.normal()
    return np.exp(level + effect * around.sum(axis=0) + clock.season(clock.own(0.1, 0.4), 0.9) + noise)


def leading(clock, random):
    """One hidden driver moves all members; some follow it some steps later than others."""
    before = 12
    long = np.concatenate(
        [np.repeat(random.normal(0.0, 1.0, (1, 1, before)), FUTURES, axis=0), clock.normal(1)], axis=2
    )
    driver = memory(memory(long, random.uniform(0.2, 0.7)), random.choice([0.9, 0.97, 1.0]))
    late = random.integers(0, random.integers(3, before), clock.members)
    moved = np.concatenate([driver[:, :, before - by : driver.shape[2] - by] for by in late], axis=1)
    weight = random.choice([1.0, 1.0, -1.0], (1, clock.members, 1)) * clock.own(0.5, 1.5)
    return 30 + weight * moved + memory(clock.own(0.3, 1.2) * clock.normal(), 0.3) + clock.season(clock.own(0.0, 1.0))


def lives(clock, random):
    """Each member rises and falls after its own start, on a curve that the group shares."""
    age = np.arange(clock.steps)[None, None] - clock.starts[None, :, None] + 3.0
    middle = random.uniform(20, 50) * np.exp(0.1 * random.normal(0.0, 1.0, (1, clock.members, 1)))
    share, power = random.uniform(0.0, 0.5), random.uniform(1.5, 4.0)
    rise = np.maximum(age, 0.1) / middle
    curve = share * rise**power / (1 + rise**power) + (1 - share) * (rise * np.exp(1 - rise)) ** power
    noise = memory(clock.own(0.03, 0.12) * together(clock, 0.2), 0.6)
    return np.maximum(curve, 0.002) * np.exp(noise + clock.season(clock.own(0.0, 0.15)))


LAWS = {law.__name__: law for law in (bending, waves, counts, shifts, regimes, events, leading, lives)}
FAMILIES = tuple(LAWS)


def draw_group(family, random):
    """One group: what is shown of it, and the futures of its members."""
    clock = Clock(random)
    late = random.random() < 0.3 or family == "lives"
    clock.starts = random.integers(0, max(clock.history - 29, 1), clock.members) * late
    clock.starts[random.integers(clock.members)] = 0
    clock.marks = (random.random(clock.steps) < random.uniform(0.05, 0.15)) * 1.0
    values = LAWS[family](clock, random)
    strange = (clock.chance() < OUTLIERS * (random.random() < 0.4)) * clock.normal()
    if family != "counts":
        size = np.abs(np.diff(values, axis=2)).mean(axis=(0, 2), keepdims=True)
        values = (values + 3 * strange * size) * 10.0 ** random.uniform(0, 3, (1, clock.members, 1))
    if family in ("bending", "events", "lives"):
        values = np.maximum(values, 0.0)
    return shown(values, family, clock)


def shown(values, family, clock):
    """The group as it is written, with four digits, and its truth."""
    digits = np.zeros(clock.members)
    if family != "counts":
        digits = 3 - np.floor(np.log10(np.abs(values[0, :, : clock.history]).mean(axis=1)))
    series, futures, scales = [], [], []
    for member, start in enumerate(clock.starts):
        past = np.round(values[0, member, start : clock.history], int(digits[member]))
        ahead = np.round(values[:, member, clock.history :], int(digits[member]))
        apart = np.abs(past[clock.period :] - past[: -clock.period]).mean()
        series.append(past.tolist())
        futures.append(ahead.tolist())
        scales.append(round(float(max(apart, 0.1 * np.abs(ahead).mean())), 6))
    marks = clock.marks.astype(int).tolist() if family == "events" else []
    group = {"period": clock.period, "first": clock.first, "horizon": clock.horizon, "marks": marks, "series": series}
    return group, {"futures": futures, "scales": scales}


def draw_good_group(family, random):
    """A group in which no series is nearly constant."""
    while True:
        group, truth = draw_group(family, random)
        if min(truth["scales"]) > 0 and min(np.count_nonzero(series) for series in group["series"]) >= 4:
            return group, truth


def main():
    random = np.random.default_rng(int(os.environ.get("ASSAY_SEED", "7")))
    families = random.permutation([FAMILIES[number % len(FAMILIES)] for number in range(GROUPS)])
    drawn = [draw_good_group(str(family), random) for family in families]
    problem = {"groups": [group for group, _ in drawn]}
    compared = [quantiles_of(group) for group, _ in drawn]
    truth = [{**true, "comparison": found} for (_, true), found in zip(drawn, compared, strict=True)]
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    Path("workspace/problem.json").write_text(json.dumps(problem, separators=(",", ":")))
    Path("truth/truth.json").write_text(json.dumps({"groups": truth}, separators=(",", ":")))


if __name__ == "__main__":
    main()
